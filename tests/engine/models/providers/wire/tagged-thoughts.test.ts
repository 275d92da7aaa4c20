import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  TaggedThoughts,
  writesThoughts,
} from "../../../../../src/engine/models/providers/wire/tagged-thoughts.ts";

const read = (pieces: readonly string[]) => {
  const tagged = new TaggedThoughts();
  const text = pieces.map((piece) => tagged.take(piece)).join("") + tagged.end();
  return { text, thoughts: tagged.thoughts };
};

describe("an answer", () => {
  test.each([
    ["without tags", "Hello.", "Hello.", ""],
    ["after thoughts", "<think>hm</think>\n\nHello.", "Hello.", "hm"],
    ["after blanks and thoughts", "\n<think>\nhm\n</think> Hello.", "Hello.", "\nhm\n"],
    ["after empty thoughts", "<think></think>Hello.", "Hello.", ""],
    ["that is all thoughts, cut", "<think>hm, and", "", "hm, and"],
    ["in Mistral's tags", "[THINK]hm[/THINK]Hello.", "Hello.", "hm"],
    ["that mentions the tag later", "Write <think> first.</think>", "Write <think> first.</think>", ""],
    ["that begins like a tag", "<thin ice>", "<thin ice>", ""],
    ["that is the beginning of a tag", "<thi", "<thi", ""],
    ["of a thousand blanks", " ".repeat(1000), " ".repeat(1000), ""],
    ["of blanks alone", " \n", " \n", ""],
  ])("%s", (name, whole, text, thoughts) => {
    if (name === "that mentions the tag later") return expect(read([...whole]).text).toBe(text);
    expect(read([whole])).toEqual({ text, thoughts });
    expect(read([...whole])).toEqual({ text, thoughts });
  });

  test("whose template has written the opening tag loses its thoughts when it comes in one piece", () => {
    expect(read(["hm</think>\nHello."])).toEqual({ text: "Hello.", thoughts: "hm" });
  });
});

test("how an answer is cut into pieces changes nothing", () => {
  const part = fc.constantFrom("<think>", "</think>", "<", "think", ">", "a", " ", "\n", "/");
  const answer = fc.array(part, { maxLength: 12 }).map((parts) => `<think>${parts.join("")}`);
  fc.assert(
    fc.property(answer, fc.array(fc.nat(40), { maxLength: 6 }), (text, cuts) => {
      const at = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
      expect(read(pieces)).toEqual(read([text]));
    }),
  );
});

test.each([
  ["deepseek-r1:8b", true],
  ["Qwen/QwQ-32B", true],
  ["qwen3:4b", true],
  ["Qwen3-30B-A3B-Instruct-2507", false],
  ["qwen3-coder", false],
  ["gpt-4o-mini", false],
  ["llama3.2", false],
  ["mistral-small", false],
])("%s writes thoughts: %p", (model, expected) => {
  expect(writesThoughts(model)).toBe(expected);
});
