import type { CheckEntry } from "../../manifest/eval/checks.ts";
import { type CheckedCase, type EvalCase, hasCheck, idsOf } from "../../manifest/eval/eval.ts";
import { caseRates } from "../report/summarize.ts";
import { wilsonInterval } from "../statistics/wilson.ts";
import type { JudgedRun } from "./judge-requirement.ts";

/**
 * Ids of the cases that count for a gate: those that ask the agent and that an answer can fail. A fixed answer says nothing about a version,
 * and a case without a check is passed by all.
 */
export function countedCases(
  written: readonly (Pick<EvalCase, "id" | "answer"> & CheckedCase)[],
  shared: readonly CheckEntry[],
): ReadonlySet<string> {
  const ids = idsOf(written);
  return new Set(
    written.flatMap((one, index) =>
      one.answer === undefined && hasCheck(one, shared) ? [ids[index] ?? ""] : [],
    ),
  );
}

/** The same for an eval as it was sent, whose defaults are not filled in. */
export function countedInDocument({ spec }: { spec?: unknown }): ReadonlySet<string> {
  const { cases, checks } = (spec ?? {}) as { cases?: unknown; checks?: unknown };
  const written = listIn<Partial<EvalCase>>(cases).map((one) => ({
    ...one,
    checks: listIn<CheckEntry>(one.checks),
    turns: listIn<{ checks?: unknown }>(one.turns).map((turn) => ({
      checks: listIn<CheckEntry>(turn.checks),
    })),
  }));
  return countedCases(written, listIn<CheckEntry>(checks));
}

const listIn = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? value : []);

/** A run with the results of these cases alone, and the score that they make. */
export function countedRun({ summary, results }: JudgedRun, counted: ReadonlySet<string>): JudgedRun {
  const countedResults = results.filter((result) => counted.has(result.case));
  const rates = [...caseRates(countedResults).values()];
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  const score = { pass_rate: rates.length === 0 ? 0 : total / rates.length };
  const [target] = summary.targets;
  const targets = target && [{ ...target, ...score, interval: wilsonInterval(total, rates.length) }];
  return { summary: { ...summary, targets: targets ?? [] }, results: countedResults };
}

/** Reason against a version whose required eval has no case that counts. */
export const nothingCounts = (evalName: string) =>
  `eval ${evalName} has only cases with a fixed answer or without a check, which say nothing about the agent; add a case that asks it`;
