import { expect, test } from "bun:test";
import { outcomeNumbers, outcomeText } from "../../../../src/console/studio/recordings/outcome.ts";
import { recordingTexts } from "../../../../src/console/texts/studio/runs.ts";

const error = { kind: "invalid", code: "too_long", message: "It is too long." };

test("an outcome in words", () => {
  expect(outcomeText({ result: { response: "Ten." } })).toBe("Ten.");
  expect(outcomeText({ error })).toBe("too_long: It is too long.");
  expect(outcomeText({ left: true })).toBe(recordingTexts.left);
  expect(outcomeText({ result: { response: "" } })).toBe(recordingTexts.noAnswer);
  expect(outcomeText({ result: {} })).toBe(recordingTexts.noAnswer);
});

test("what an outcome took, as far as it says", () => {
  const result = { provider: "p", model: "m", usage: { total_tokens: 7 }, timing: { total_ms: 5 } };
  expect(outcomeNumbers({ result })).toEqual({ model: "p/m", tokens: 7, totalMs: 5 });
  expect(outcomeNumbers({ result: {} })).toEqual({});
  expect(outcomeNumbers({ error })).toEqual({});
});
