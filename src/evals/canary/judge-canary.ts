import { nearestMicros, usdText } from "../../contracts/amounts.ts";
import {
  meanExcessAtLeast,
  meanOf,
  normalQuantile,
  type Sample,
  type Share,
  shareIncreaseAtLeast,
} from "../statistics/difference.ts";

/** Terms of a canary; see `spec.release.canary`. */
export interface CanaryTerms {
  percent: number;
  min_runs: number;
  min_minutes: number;
  return_when: { error_rate_increase: number; score_decrease: number; cost_increase: number };
}

/** Finished runs of one version since the canary began. */
export interface VersionFigures {
  runs: number;
  errors: number;
  /** Runs that a person rated, and those rated positively. */
  rated: number;
  liked: number;
  /** Costs in US dollars of the runs whose cost is known. */
  cost: Sample;
}

export interface CanaryFigures {
  canary: VersionFigures;
  baseline: VersionFigures;
}

export type CanaryStep =
  /** No verdict is due. */
  | { verdict: "wait" }
  /** The verdict number `look` is due, and leaves the canary open, promotes it or returns it. */
  | { verdict: "continue" | "promote" | "return"; look: number; reasons: string[] };

/** Probability that a version that is exactly at a bound is ever returned by mistake, over all verdicts and measures. */
const errorMax = 0.05;

interface Measure {
  /** The difference as observed. */
  isBeyond: boolean;
  /** Lower limits of the difference to the bound, and to the version in service. */
  beyondBound: number;
  beyondBaseline: number;
  text: string;
}

/**
 * Judges a canary each time that the new version has finished another `min_runs` runs, and the version in service at least as many:
 *
 * - `return` if the new version is worse by more than a bound with confidence,
 * - `continue` if it is worse than a bound as observed, and worse than the version in service with confidence, or if `min_minutes` have
 *   not passed,
 * - `promote` otherwise.
 *
 * Many looks at growing data find a difference by chance. So verdict number k of each of the three measures uses the error probability
 * 0.05 / (3 k (k + 1)). These add up to 0.05 at most over any number of verdicts (Bonferroni's inequality).
 */
export function judgeCanary(
  terms: CanaryTerms,
  { canary, baseline }: CanaryFigures,
  { looked, minutes }: { looked: number; minutes: number },
): CanaryStep {
  const look = baseline.runs < terms.min_runs ? 0 : Math.floor(canary.runs / terms.min_runs);
  if (look <= looked) return { verdict: "wait" };
  const z = normalQuantile(errorMax / (3 * look * (look + 1)));
  const measures = [
    errorRate(terms, canary, baseline, z),
    score(terms, canary, baseline, z),
    cost(terms, canary, baseline, z),
  ];
  const beyond = measures.filter(({ beyondBound }) => beyondBound > 0);
  if (beyond.length > 0) return { verdict: "return", look, reasons: beyond.map(({ text }) => text) };
  const unclear = measures.filter((one) => one.isBeyond && one.beyondBaseline > 0);
  if (unclear.length > 0) return { verdict: "continue", look, reasons: unclear.map(({ text }) => text) };
  if (minutes < terms.min_minutes) return { verdict: "continue", look, reasons: [] };
  return { verdict: "promote", look, reasons: [] };
}

function errorRate({ return_when }: CanaryTerms, one: VersionFigures, other: VersionFigures, z: number) {
  const bound = return_when.error_rate_increase;
  const [now, before] = [
    { count: one.errors, of: one.runs },
    { count: other.errors, of: other.runs },
  ];
  return shareMeasure(now, before, bound, z, (share) => `${share} of runs fail`);
}

function score({ return_when }: CanaryTerms, one: VersionFigures, other: VersionFigures, z: number) {
  const bound = return_when.score_decrease;
  const [now, before] = [
    { count: one.rated - one.liked, of: one.rated },
    { count: other.rated - other.liked, of: other.rated },
  ];
  return shareMeasure(now, before, bound, z, (share) => `${share} of rated runs are rated negatively`);
}

function shareMeasure(
  now: Share,
  before: Share,
  bound: number,
  z: number,
  said: (share: string) => string,
): Measure {
  const lower = shareIncreaseAtLeast(now, before, z);
  const rate = ({ count, of }: Share) => (of === 0 ? 0 : count / of);
  return {
    isBeyond: rate(now) - rate(before) > bound,
    beyondBound: lower - bound,
    beyondBaseline: lower,
    text: `${said(percent(rate(now)))} (${now.count} of ${now.of}), with the version in service ${percent(rate(before))} (${before.count} of ${before.of}); accepted increase: ${percent(bound)}`,
  };
}

function cost({ return_when }: CanaryTerms, one: VersionFigures, other: VersionFigures, z: number): Measure {
  const bound = return_when.cost_increase;
  const [now, before] = [meanOf(one.cost), meanOf(other.cost)];
  return {
    isBeyond: now > before * (1 + bound),
    beyondBound: meanExcessAtLeast(one.cost, other.cost, 1 + bound, z),
    beyondBaseline: meanExcessAtLeast(one.cost, other.cost, 1, z),
    text: `a run costs ${usd(now)}, with the version in service ${usd(before)}; accepted increase: ${percent(bound)}`,
  };
}

const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;
const usd = (amount: number) => usdText(nearestMicros(amount));
