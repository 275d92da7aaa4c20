import { expect, test } from "bun:test";
import fc from "fast-check";
import { splitBlocks } from "../../../src/console/runs/split-blocks.ts";

test("paragraphs are pieces", () => {
  expect(splitBlocks("One.\nStill one.\n\nTwo.\n\n\nThree.")).toEqual([
    "One.\nStill one.\n\n",
    "Two.\n\n\n",
    "Three.",
  ]);
});

test("code with blank lines stays in one piece, also while it is open", () => {
  expect(splitBlocks("```js\na\n\nb\n```\n\nEnd.")).toEqual(["```js\na\n\nb\n```\n\n", "End."]);
  expect(splitBlocks("````\n```\n\nb\n````\n\nEnd.")).toEqual(["````\n```\n\nb\n````\n\n", "End."]);
  expect(splitBlocks("~~~\na\n\nb")).toEqual(["~~~\na\n\nb"]);
});

test("what is indented stays with its list item", () => {
  expect(splitBlocks("- a\n\n  more of a\n\nAfter.")).toEqual(["- a\n\n  more of a\n\n", "After."]);
});

test("nothing has no pieces", () => {
  expect(splitBlocks("")).toEqual([]);
});

test("the pieces joined are the text, and a longer text begins with the same pieces but the last", () => {
  const lines = fc.array(fc.constantFrom("", "word", "```", "~~~~", "  indented", "- item"), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(lines, lines, (some, more) => {
      const text = some.join("\n");
      const blocks = splitBlocks(text);
      expect(blocks.join("")).toBe(text);
      const longer = splitBlocks(`${text}\n${more.join("\n")}`);
      expect(longer.slice(0, Math.max(0, blocks.length - 1))).toEqual(blocks.slice(0, -1));
    }),
  );
});
