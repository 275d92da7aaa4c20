import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Turn } from "../../../src/engine/memory/conversation.ts";
import { type SummaryStrategy, selectTurns } from "../../../src/engine/memory/memory-strategy.ts";
import { planMerge } from "../../../src/engine/memory/running-summary.ts";

const strategyOf = (turnsMax: number, tokensMax = 1e6): SummaryStrategy => ({
  name: "summary",
  turnsMax,
  tokensMax,
  charsMax: 500,
});

/** Creates turns that cost six tokens each, including the overhead of a message. */
const turns = (count: number): Turn[] =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index + 1}`,
    at: new Date(0),
    tokenCount: 2,
    metadata: {},
  }));

describe("a session is summed up", () => {
  const table: [
    turnsMax: number,
    tokensMax: number,
    lastSeq: number,
    upTo: number,
    to: number | undefined,
  ][] = [
    [4, 1e6, 4, 0, undefined],
    // The window is full and two turns have left it: they are merged, and the older half of the window with them.
    [4, 1e6, 6, 0, 4],
    [4, 1e6, 8, 4, undefined],
    [4, 1e6, 10, 4, 8],
    // A window of one exchange has no older half.
    [2, 1e6, 4, 0, 2],
    [2, 1e6, 6, 2, 4],
    [3, 1e6, 4, 0, 2],
    [6, 1e6, 8, 0, 4],
    [8, 1e6, 10, 0, 6],
    // No turn is ever in the window.
    [1, 1e6, 2, 0, 2],
    [50, 24, 4, 0, undefined],
    [50, 24, 6, 0, 4],
    [50, 5, 2, 0, 2],
    // Many turns were missed.
    [4, 1e6, 100, 0, 98],
  ];
  test.each(table)(
    "%i messages, %i tokens: of %i turns, %i summed up, up to %p",
    (max, tokens, last, upTo, to) => {
      const progress = { lastSeq: last, upTo, tokenCount: 0 };
      expect(planMerge(strategyOf(max, tokens), turns(last).slice(-max), progress)).toBe(to);
    },
  );
});

test("for any window: after a merge all that is out of view is summed up, and a merge saves others", () => {
  const sizes = fc.record({
    turnsMax: fc.integer({ min: 1, max: 30 }),
    tokensMax: fc.integer({ min: 1, max: 200 }),
    exchanges: fc.integer({ min: 1, max: 60 }),
    tokenCount: fc.integer({ min: 0, max: 50 }),
  });
  fc.assert(
    fc.property(sizes, ({ turnsMax, tokensMax, exchanges, tokenCount }) => {
      const strategy = strategyOf(turnsMax, tokensMax);
      let upTo = 0;
      let merges = 0;
      for (let lastSeq = 2; lastSeq <= 2 * exchanges; lastSeq += 2) {
        const latest = turns(lastSeq).slice(-turnsMax);
        const mergeTo = planMerge(strategy, latest, { lastSeq, upTo, tokenCount });
        if (mergeTo !== undefined) {
          expect(mergeTo).toBeGreaterThan(upTo);
          expect(mergeTo % 2).toBe(0);
          upTo = mergeTo;
          merges++;
        }
        const shown = selectTurns(strategy, latest, tokenCount).length;
        expect(lastSeq - shown).toBeLessThanOrEqual(upTo);
      }
      const window = selectTurns(strategy, turns(1000).slice(-turnsMax), tokenCount).length;
      expect(merges).toBeLessThanOrEqual(Math.ceil((4 * exchanges) / Math.max(2, window)) + 1);
    }),
  );
});
