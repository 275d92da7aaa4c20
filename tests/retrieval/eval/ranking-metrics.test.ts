import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Hits,
  judgeRanking,
  meanMetrics,
  rankingMetrics,
} from "../../../src/retrieval/eval/ranking-metrics.ts";

const no = undefined;

describe("the metrics of a ranking", () => {
  // Computed by hand: a hit at rank r gains 1/log2(r + 1): 1, 0.6309, 0.5, 0.4307, 0.3869.
  test.each<[string, Hits, number, number, [number, number, number]]>([
    ["the only one, first", [0], 1, 5, [1, 1, 1]],
    ["the only one, second", [no, 0], 1, 5, [1, 0.5, 0.6309]],
    ["the only one, fifth", [no, no, no, no, 0], 1, 5, [1, 0.2, 0.3869]],
    ["nothing of what was expected", [no, no, no], 2, 5, [0, 0, 0]],
    ["no passage at all", [], 3, 5, [0, 0, 0]],
    ["both, in the best order", [1, 0], 2, 5, [1, 1, 1]],
    ["both, with one between", [0, no, 1], 2, 5, [1, 1, 1.5 / 1.6309]],
    ["one of two, third", [no, no, 1], 2, 5, [0.5, 1 / 3, 0.5 / 1.6309]],
    ["two of three", [0, no, no, 2], 3, 5, [2 / 3, 1, 1.4307 / 2.1309]],
    ["more expected than there is room for", [0, 1], 5, 2, [2 / 5, 1, 1]],
  ])("%s", (_, hits, expected, k, [recall, reciprocalRank, ndcg]) => {
    const metrics = rankingMetrics(hits, expected, k);
    expect(metrics.recall).toBeCloseTo(recall, 4);
    expect(metrics.reciprocalRank).toBeCloseTo(reciprocalRank, 4);
    expect(metrics.ndcg).toBeCloseTo(ndcg, 4);
  });

  test("are means over queries", () => {
    const all = [rankingMetrics([0], 1, 5), rankingMetrics([no, 0], 2, 5), rankingMetrics([], 1, 5)];
    expect(meanMetrics(all).recall).toBeCloseTo(0.5, 10);
    expect(meanMetrics(all).reciprocalRank).toBeCloseTo(0.5, 10);
    expect(meanMetrics([])).toEqual({ recall: 0, reciprocalRank: 0, ndcg: 0 });
  });

  test("stay between 0 and 1, and no order is better than the hits first", () => {
    const rankings = fc.record({
      flags: fc.array(fc.boolean(), { maxLength: 20 }),
      more: fc.nat({ max: 5 }),
    });
    fc.assert(
      fc.property(rankings, ({ flags, more }) => {
        let hit = 0;
        const hits = flags.map((isHit) => (isHit ? hit++ : no));
        const expected = Math.max(1, hit + more);
        const metrics = rankingMetrics(hits, expected, 20);
        const best = rankingMetrics(
          [...hits].sort((one, other) => Number(one === no) - Number(other === no)),
          expected,
          20,
        );
        for (const value of Object.values(metrics)) expect(value).toBeWithin(0, 1.000001);
        expect(metrics.recall).toBe(best.recall);
        expect(metrics.ndcg).toBeLessThanOrEqual(best.ndcg + 1e-9);
        expect(metrics.reciprocalRank).toBeLessThanOrEqual(best.reciprocalRank);
      }),
    );
  });
});

describe("a passage", () => {
  const passage = (document: string, text = "") => ({ document, text });
  test("of the document meets the expectation once", () => {
    expect(judgeRanking([passage("b"), passage("a"), passage("a")], [{ document: "a" }])).toEqual([
      no,
      0,
      no,
    ]);
  });
  test("must hold the text, however it is spaced and written", () => {
    const expected = [{ document: "a", contains: "Hard  Limit" }];
    const passages = [passage("a", "soft limit"), passage("b", "hard limit"), passage("a", "a HARD\nlimit")];
    expect(judgeRanking(passages, expected)).toEqual([no, no, 0]);
  });
  test("meets the narrower of two expectations, and leaves the wider to the next", () => {
    const expected = [{ document: "a" }, { document: "a", contains: "x" }];
    expect(judgeRanking([passage("a", "x"), passage("a", "y")], expected)).toEqual([1, 0]);
  });
  test("is compared in one form of its characters", () => {
    const expected = [{ document: "a", contains: "caf\u00e9" }];
    expect(judgeRanking([passage("a", "cafe\u0301")], expected)).toEqual([0]);
  });
});
