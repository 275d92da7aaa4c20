import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { costLimit } from "../../../src/engine/guardrails/cost-limit.ts";
import { estimateTokens } from "../../../src/engine/models/token-count.ts";
import type { GuardrailAction } from "../../../src/manifest/agent/guardrails.ts";
import { splitTexts } from "../../support/split-text.ts";

const limit = (tokens: number, action: GuardrailAction = "redact") =>
  costLimit("cost_limit", "output", action, { max_tokens_per_turn: tokens }).limit();

const texts = fc.string({ unit: fc.constantFrom("a", " ", "!", "é", "漢", "😀", "word "), maxLength: 60 });

describe("redact", () => {
  test("takes, however the answer is cut, the longest beginning of whole characters within the limit", () => {
    fc.assert(
      fc.property(splitTexts(texts), fc.integer({ min: 1, max: 30 }), ({ text, parts }, tokens) => {
        const open = limit(tokens);
        const taken = parts.map((part) => open.take(part)).join("");
        expect(text.startsWith(taken)).toBe(true);
        expect(estimateTokens(taken)).toBeLessThanOrEqual(tokens);
        const next = [...text.slice(taken.length)][0];
        if (next !== undefined) expect(estimateTokens(taken + next)).toBeGreaterThan(tokens);
        const isOver = estimateTokens(text) > tokens;
        expect([open.isReached, open.hits, open.blocked]).toEqual([isOver, isOver ? 1 : 0, undefined]);
        expect(taken === text).toBe(!isOver);
      }),
      { numRuns: 1000 },
    );
  });

  test("an answer of exactly the limit is whole", () => {
    const open = limit(2);
    expect([open.take("abcd"), open.take("efgh"), open.isReached]).toEqual(["abcd", "efgh", false]);
    expect([open.take("i"), open.isReached, open.take("more")]).toEqual(["", true, ""]);
  });
});

test.each([
  ["block", "it is longer than 2 tokens"],
  ["warn", undefined],
  ["log", undefined],
] as const)("%s counts and cuts nothing", (action, blocked) => {
  const open = limit(2, action);
  expect([open.take("abcdefgh"), open.blocked, open.hits]).toEqual(["abcdefgh", undefined, 0]);
  expect([open.take("ij"), open.blocked, open.hits, open.isReached]).toEqual(["ij", blocked, 1, false]);
});
