import { describe, expect, test } from "bun:test";
import { insertReply, matchingReplies, slashWord } from "../../../src/console/gateway/inbox/canned.ts";

const reply = (name: string, text = "") => ({ id: name, tenant_id: "t", name, text, created_at: "" });

describe("a slash word", () => {
  test.each([
    ["/", 1, { at: 0, part: "" }],
    ["/ho", 3, { at: 0, part: "ho" }],
    ["Hello /opening ho", 17, { at: 6, part: "opening ho" }],
    ["one\n/two", 8, { at: 4, part: "two" }],
    ["/hours and more", 3, { at: 0, part: "ho" }],
  ] as const)("begins a list: %j with the caret at %d", (text, caret, word) => {
    expect(slashWord(text, caret)).toEqual(word);
  });

  test.each([
    ["and/or", 6],
    ["https://x", 9],
    ["/two\nlines", 10],
    ["hello", 5],
    ["/ho", 0],
  ] as const)("is none in %j with the caret at %d", (text, caret) => {
    expect(slashWord(text, caret)).toBeUndefined();
  });
});

test("replies are found by name, and then by text, those that begin with the part first", () => {
  const replies = [reply("late hours"), reply("Hours"), reply("tea", "our hours"), reply("thanks")];
  expect(matchingReplies(replies, "hou").map(({ name }) => name)).toEqual(["Hours", "late hours", "tea"]);
  expect(matchingReplies(replies, "")).toHaveLength(4);
});

test("a reply takes the place of the slash word, with the caret behind it", () => {
  const word = slashWord("Hi /ho, bye", 6);
  if (word === undefined) throw new Error("no word");
  expect(insertReply("Hi /ho, bye", word, "we open at 9")).toEqual({
    text: "Hi we open at 9, bye",
    caret: 15,
  });
});
