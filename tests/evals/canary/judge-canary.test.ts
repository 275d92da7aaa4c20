import { expect, test } from "bun:test";
import {
  type CanaryTerms,
  judgeCanary,
  type VersionFigures,
} from "../../../src/evals/canary/judge-canary.ts";
import { normalQuantile, shareIncreaseAtLeast } from "../../../src/evals/statistics/difference.ts";

const terms: CanaryTerms = {
  percent: 10,
  min_runs: 50,
  min_minutes: 60,
  return_when: { error_rate_increase: 0.05, score_decrease: 0.1, cost_increase: 0.25 },
};

/** Figures of runs that cost either of two amounts, half of them each. */
function version(
  runs: number,
  {
    errors = 0,
    rated = 0,
    liked = 0,
    costs = [0.01, 0.03],
  }: Partial<VersionFigures> & { costs?: number[] } = {},
): VersionFigures {
  const sum = costs.reduce((total, one) => total + (one * runs) / 2, 0);
  const sumOfSquares = costs.reduce((total, one) => total + (one * one * runs) / 2, 0);
  return { runs, errors, rated, liked, cost: { count: runs, sum, sumOfSquares } };
}

const rows: [
  title: string,
  canary: VersionFigures,
  baseline: VersionFigures,
  state: { looked: number; minutes: number },
  step: object,
][] = [
  [
    "too few runs of the new version",
    version(49, { errors: 49 }),
    version(500),
    { looked: 0, minutes: 90 },
    { verdict: "wait" },
  ],
  [
    "too few runs beside it",
    version(50, { errors: 50 }),
    version(49),
    { looked: 0, minutes: 90 },
    { verdict: "wait" },
  ],
  [
    "the same runs judged again",
    version(99, { errors: 99 }),
    version(500),
    { looked: 1, minutes: 90 },
    { verdict: "wait" },
  ],
  ["all is equal", version(50), version(500), { looked: 0, minutes: 60 }, { verdict: "promote", look: 1 }],
  [
    "all is equal, too early",
    version(50),
    version(500),
    { looked: 0, minutes: 59 },
    { verdict: "continue", look: 1, reasons: [] },
  ],
  [
    "every run fails",
    version(50, { errors: 50 }),
    version(500),
    { looked: 0, minutes: 0 },
    { verdict: "return", look: 1 },
  ],
  [
    "two of fifty fail: noise",
    version(50, { errors: 2 }),
    version(500),
    { looked: 0, minutes: 60 },
    { verdict: "promote" },
  ],
  [
    "worse, but perhaps within the bound",
    version(50, { errors: 5 }),
    version(500),
    { looked: 0, minutes: 60 },
    { verdict: "continue" },
  ],
  [
    "both fail alike",
    version(50, { errors: 20 }),
    version(500, { errors: 200 }),
    { looked: 0, minutes: 60 },
    { verdict: "promote" },
  ],
  [
    "one negative rating: noise",
    version(50, { rated: 1 }),
    version(500, { rated: 50, liked: 50 }),
    { looked: 0, minutes: 60 },
    { verdict: "promote" },
  ],
  [
    "negative ratings",
    version(50, { rated: 20, liked: 2 }),
    version(500, { rated: 50, liked: 48 }),
    { looked: 0, minutes: 60 },
    { verdict: "return" },
  ],
  [
    "twice the cost",
    version(50, { costs: [0.02, 0.06] }),
    version(500),
    { looked: 0, minutes: 60 },
    { verdict: "return" },
  ],
  [
    "a tenth more cost",
    version(50, { costs: [0.011, 0.033] }),
    version(500),
    { looked: 0, minutes: 60 },
    { verdict: "promote" },
  ],
  [
    "less of everything",
    version(50, { costs: [0, 0] }),
    version(500, { errors: 100 }),
    { looked: 0, minutes: 60 },
    { verdict: "promote" },
  ],
];

for (const [title, canary, baseline, state, step] of rows) {
  test(`canary: ${title}`, () => {
    expect(judgeCanary(terms, { canary, baseline }, state)).toMatchObject(step);
  });
}

test("a version that fails as often as the bound allows is rarely returned, over many verdicts", () => {
  // A fixed sequence: the same verdicts on every machine.
  let seed = 42;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const failing = (runs: number, rate: number) =>
    Array.from({ length: runs }, random).filter((one) => one < rate).length;
  let returned = 0;
  for (let trial = 0; trial < 400; trial++) {
    const [canary, baseline] = [version(0), version(0)];
    for (let look = 1; look <= 20; look++) {
      canary.errors += failing(50, 0.1);
      baseline.errors += failing(450, 0.05);
      canary.runs += 50;
      baseline.runs += 450;
      const { verdict } = judgeCanary(terms, { canary, baseline }, { looked: look - 1, minutes: 0 });
      if (verdict !== "return") continue;
      returned++;
      break;
    }
  }
  expect(returned / 400).toBeLessThan(0.05);
});

test("the statistics are those of their sources", () => {
  // Newcombe (1998), table II, method 10, example (a): 56/70 and 48/80 differ by 0.0524 to 0.3339 at 95 %.
  expect(shareIncreaseAtLeast({ count: 56, of: 70 }, { count: 48, of: 80 }, 1.959964)).toBeCloseTo(0.0524, 4);
  expect(normalQuantile(0.025)).toBeCloseTo(1.96, 2);
  expect(normalQuantile(0.0005)).toBeCloseTo(3.29, 2);
});
