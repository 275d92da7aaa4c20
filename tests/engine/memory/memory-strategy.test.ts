import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Turn } from "../../../src/engine/memory/conversation.ts";
import {
  alternating,
  fitTurns,
  historyBudget,
  type MemoryStrategy,
  selectTurns,
  turnMessages,
} from "../../../src/engine/memory/memory-strategy.ts";
import { tokensPerMessage } from "../../../src/engine/models/token-count.ts";

const turn = (role: Turn["role"], tokenCount: number, content = `${role} ${tokenCount}`): Turn => ({
  role,
  content,
  at: new Date(0),
  tokenCount,
  metadata: {},
});

/** Parses `u6 a2` as turns with these numbers of tokens. */
const turns = (text: string): Turn[] =>
  text
    .split(" ")
    .map((word) => turn(word.startsWith("u") ? "user" : "assistant", Number(word.slice(1)), word));
const words = (chosen: readonly Turn[]) => chosen.map(({ content }) => content).join(" ");

describe("what fits", () => {
  const table: [given: string, tokensMax: number, fits: string][] = [
    ["u1 a1 u1 a1", 20, "u1 a1 u1 a1"],
    ["u1 a1 u1 a1", 19, "u1 a1"],
    ["u1 a1 u1 a1", 10, "u1 a1"],
    ["u1 a1 u1 a1", 9, ""],
    ["u1 a1 u1 a1", 0, ""],
    ["u1 a1 u1 a1", Number.POSITIVE_INFINITY, "u1 a1 u1 a1"],
    ["u96 a1 u1 a1", 100, "u1 a1"],
    ["u1 a1 u96 a1", 100, ""],
    ["a1 u1 a1", 100, "u1 a1"],
    ["a1", 100, ""],
    ["u0 a0", 8, "u0 a0"],
    ["u1 u1 a1", 15, "u1 u1 a1"],
  ];
  test.each(table)("of %s into %p tokens: %s", (given, tokensMax, fits) => {
    expect(words(fitTurns(turns(given), tokensMax))).toBe(fits);
  });
});

test("a message of ours that no run wrote stays at the front", () => {
  const [ours, ...rest] = turns("a1 u1 a1");
  const told = { ...ours, metadata: { told: true, by: "template" } } as Turn;
  expect(words(fitTurns([told, ...rest], 100))).toBe("a1 u1 a1");
  expect(words(fitTurns([told], 100))).toBe("a1");
  expect(words(fitTurns([told, ...rest], 10))).toBe("u1 a1");
});

describe("what a model gets begins with the user and alternates", () => {
  const table: [given: string, sent: string][] = [
    ["u1 a2 u3", "user u1 | assistant a2 | user u3"],
    ["a1 u2", "user [Our message follows.] | assistant a1 | user u2"],
    ["u1 u2 a3 a4 u5 u6", "user u1+u2 | assistant a3+a4 | user u5+u6"],
  ];
  test.each(table)("%s: %s", (given, sent) => {
    const made = alternating(turnMessages(turns(given)));
    expect(made.map(({ role, content }) => `${role} ${content.replaceAll("\n\n", "+")}`).join(" | ")).toBe(
      sent,
    );
  });

  test("with the images of the last message", () => {
    const images = [{ mediaType: "image/png" as const, data: "AA==" }];
    const made = alternating([
      { role: "user", content: "a" },
      { role: "user", content: "b", images },
    ]);
    expect(made).toEqual([{ role: "user", content: "a\n\nb", images }]);
  });
});

describe("a strategy", () => {
  const all = turns("u1 a2 u3 a4 u5 a6");
  const table: [strategy: MemoryStrategy, chosen: string][] = [
    [{ name: "sliding_window", turnsMax: 50 }, "u1 a2 u3 a4 u5 a6"],
    [{ name: "sliding_window", turnsMax: 4 }, "u3 a4 u5 a6"],
    [{ name: "sliding_window", turnsMax: 3 }, "u5 a6"],
    [{ name: "sliding_window", turnsMax: 1 }, ""],
    [{ name: "token_budget", turnsMax: 50, tokensMax: 19 }, "u5 a6"],
    [{ name: "token_budget", turnsMax: 50, tokensMax: 45 }, "u1 a2 u3 a4 u5 a6"],
    [{ name: "token_budget", turnsMax: 2, tokensMax: 45 }, "u5 a6"],
    [{ name: "token_budget", turnsMax: 50, tokensMax: 1 }, ""],
  ];
  test.each(table)("%j chooses %s", (strategy, chosen) => {
    expect(words(selectTurns(strategy, all))).toBe(chosen);
  });
});

test("for any conversation: the newest exchanges that fit, whole, in order", () => {
  const anyTurn = fc.record({ role: fc.constantFrom("user", "assistant"), tokenCount: fc.nat(50) });
  const conversation = fc
    .array(anyTurn, { maxLength: 30 })
    .map((all) =>
      all.map(({ role, tokenCount }, index) => turn(role as Turn["role"], tokenCount, String(index))),
    );
  const cost = (some: readonly Turn[]) =>
    some.reduce((sum, { tokenCount }) => sum + tokenCount + tokensPerMessage, 0);
  fc.assert(
    fc.property(conversation, fc.nat(600), (all, tokensMax) => {
      const chosen = fitTurns(all, tokensMax);
      const left = all.slice(0, all.length - chosen.length);
      expect(chosen).toEqual(all.slice(left.length));
      expect(cost(chosen)).toBeLessThanOrEqual(tokensMax);
      expect(chosen[0]?.role).not.toBe("assistant");
      // An older question would not have fitted, even with the answers that follow it.
      const nearestQuestion = left.findLastIndex(({ role }) => role === "user");
      if (nearestQuestion >= 0) expect(cost(all.slice(nearestQuestion))).toBeGreaterThan(tokensMax);
    }),
    { numRuns: 500, seed: 7 },
  );
});

describe("the room for history", () => {
  const table: [window: number, answer: number, texts: string[], room: number][] = [
    [1000, 100, [], 900],
    [1000, 100, [""], 896],
    [1000, 100, ["word word"], 893],
    [1000, 100, ["a".repeat(4000)], 0],
    [1000, 2000, [], 0],
    [0, 0, ["hi"], 0],
  ];
  test.each(table)("of %p tokens, %p for the answer, %j: %p", (window, answer, texts, room) => {
    expect(historyBudget(window, answer, texts, [turn("user", 1_000_000, "all")])).toBe(room);
  });

  test("is not counted exactly where there is plenty, and never overstated", () => {
    const texts = ["word word", "two"];
    const turns = [turn("user", 30, "q"), turn("assistant", 50, "a")];
    const exact = historyBudget(1000, 100, texts, [turn("user", 1_000_000, "all")]);
    const room = historyBudget(1000, 100, texts, turns);
    expect(room).toBeLessThanOrEqual(exact);
    expect(fitTurns(turns, room)).toEqual(turns);
  });
});
