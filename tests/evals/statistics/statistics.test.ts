import { expect, test } from "bun:test";
import { comparePairs, signTest } from "../../../src/evals/statistics/paired-test.ts";
import { wilsonInterval } from "../../../src/evals/statistics/wilson.ts";

// 81/263 and 1/29: R. G. Newcombe, Statistics in Medicine 17 (1998), table I. The others by hand, such as z²/(n + z²) for no success.
test.each([
  [0, 10, 0, 0.2775],
  [5, 10, 0.2366, 0.7634],
  [10, 10, 0.7225, 1],
  [81, 263, 0.2553, 0.3662],
  [1, 29, 0.0061, 0.1718],
])("Wilson's interval of %d in %d is %d to %d", (successes, trials, low, high) => {
  const interval = wilsonInterval(successes, trials);
  expect(interval[0]).toBeCloseTo(low, 3);
  expect(interval[1]).toBeCloseTo(high, 3);
});

test("no trials say nothing", () => expect(wilsonInterval(0, 0)).toEqual([0, 1]));

// Sums of binomial coefficients by hand: 3 against 7 is 2 · (1 + 10 + 45 + 120) / 1024.
test.each([
  [0, 0, 1],
  [1, 0, 1],
  [5, 0, 0.0625],
  [6, 0, 0.03125],
  [3, 7, 0.34375],
  [1, 9, 0.021484],
  [10, 10, 1],
])("the sign test of %d against %d has p = %d", (better, worse, p) => {
  expect(signTest(better, worse)).toBeCloseTo(p, 5);
  expect(signTest(worse, better)).toBeCloseTo(p, 5);
});

test("ten thousand pairs cause no trouble", () => {
  expect(signTest(5000, 5000)).toBeCloseTo(1, 6);
  // The normal approximation with continuity correction: z = 3.99.
  expect(signTest(4800, 5200)).toBeCloseTo(0.000066, 5);
});

test("a note says whether a difference may be noise", () => {
  expect(comparePairs([[1, 1]]).note).toBe("No case differs.");
  expect(
    comparePairs([
      [0, 1],
      [0, 1],
    ]).note,
  ).toContain("this may be noise. Fewer than 6 cases differ");
  expect(comparePairs(Array.from({ length: 8 }, () => [1, 0])).note).toBe(
    "0 better, 8 worse, p = 0.008: a real difference is likely.",
  );
});
