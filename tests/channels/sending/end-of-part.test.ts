import { expect, test } from "bun:test";
import { endOfPart } from "../../../src/channels/sending/end-of-part.ts";

test.each([
  ["01234567890", "0123456789", "0"],
  ["one\n\ntwo\n\nthree", "one\n\ntwo", "three"],
  ["one.\ntwo three", "one.", "two three"],
  ["One is. Two is", "One is.", "Two is"],
  ["three four five", "three four", "five"],
  ["paragraph1\n \nnext", "paragraph1", "next"],
  ["a\n\nlonger word", "a\n\nlonger", "word"],
  ["012345678😀", "012345678", "😀"],
])("%j", (text, part, rest) => {
  const [end, next] = endOfPart(text, 10);
  expect([text.slice(0, end).trim(), text.slice(next).trim()]).toEqual([part, rest]);
});
