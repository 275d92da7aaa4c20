import { describe, expect, test } from "bun:test";
import { axisMarks, type ChartMeasure, measures } from "../../../src/console/charts/measure.ts";

/** Values from the smallest that a measure can write to large ones. */
const tops: Readonly<Record<keyof typeof measures, readonly number[]>> = {
  count: [1, 2, 3, 7, 10, 99, 1_234, 56_789, 9_876_543],
  compact: [1, 6, 999, 1_001, 12_345, 1_500_000, 987_654_321],
  usd: [1, 2, 3, 17, 8_527, 12_000, 20_000, 999_999, 1_000_001, 47_250_000, 1_234_567_890],
  credits: [1, 5, 250_000, 1_500_000, 42_218_300, 9_000_000_000],
  duration: [0.4, 3, 240, 999, 1_532, 4_800, 31_000, 59_999, 61_000, 240_000, 3_600_001, 90_000_000],
  bytes: [1, 900, 1_025, 70_000, 1_048_577, 900_000_000, 3 * 1024 ** 4],
  share: [0.004, 0.05, 0.33, 0.999, 1],
};

describe.each(Object.entries(measures) as [keyof typeof measures, ChartMeasure][])(
  "an axis of %s",
  (name, measure) => {
    test.each(tops[name].map((top) => [top]))("up to %p", (top) => {
      const { marks, step } = axisMarks(top, measure);
      const texts = marks.map((mark) => measure.mark?.(mark, step) ?? measure.text(mark));
      expect(new Set(texts).size, texts.join(", ")).toBe(marks.length);
      expect(marks[0]).toBe(0);
      expect(marks.at(-1)).toBeGreaterThanOrEqual(top);
      expect(marks.at(-2)).toBeLessThan(top);
      expect(marks.length).toBeLessThanOrEqual(6);
    });
  },
);

test("all marks of an axis of dollars have the same number of decimals", () => {
  const { marks, step } = axisMarks(20_000, measures.usd);
  expect(marks.map((mark) => measures.usd.mark(mark, step))).toEqual([
    "$0.000",
    "$0.005",
    "$0.010",
    "$0.015",
    "$0.020",
  ]);
});

test("an axis without values has the mark $0 alone", () => {
  const { marks, step } = axisMarks(0, measures.usd);
  expect(marks.map((mark) => measures.usd.mark(mark, step))).toEqual(["$0"]);
});
