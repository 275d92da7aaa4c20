import { expect, test } from "bun:test";
import { PasteInput } from "../../../src/cli/terminal/paste-input.ts";
import { FakeClock } from "../../support/fake-clock.ts";

/** What a line editor reads of these bytes, and of the word that stands for a paste. */
function read(bytes: Buffer, size: number): string {
  const input = new PasteInput({}, new FakeClock());
  let text = "";
  input.on("data", (piece: Buffer) => {
    text += piece.toString();
  });
  for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
  return input.expand(text);
}

const typed = Buffer.from(
  "é \u001b[A \u001b[200~one ü\r\ntwo 🎉\u001b[201~ and \u001b[200~x\ny\u001b[201~\r",
);

test.each([1000, 7, 5, 4, 3, 1])("pieces of %p bytes are the same text", (size) => {
  expect(read(typed, size)).toBe("é \u001b[A one ü\ntwo 🎉 and x\ny\r");
});

test.each(["[pasted 1: 2 lines]", "a\\"])("%j is passed on at once as it is", (text) => {
  expect(read(Buffer.from(text), 1000)).toBe(text);
});

test("Escape is passed on when nothing follows", async () => {
  const clock = new FakeClock();
  const input = new PasteInput({}, clock);
  const pieces: string[] = [];
  input.on("data", (piece: Buffer) => pieces.push(piece.toString()));
  input.write("\u001b");
  expect(pieces).toEqual([]);
  await clock.advance(50);
  expect(pieces).toEqual(["\u001b"]);
});
