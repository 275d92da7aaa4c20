import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { CheckEntry, CheckKind } from "../../manifest/eval/checks.ts";
import type { CaseWork } from "./case-work.ts";
import type { DocumentAllowance } from "./document-allowance.ts";
import type { Observation } from "./observation.ts";

/** Outcome of one check of one answer. */
export interface CheckResult {
  check: string;
  passed: boolean;
  /** True if it never fails a case. */
  informative?: true;
  /** From 0 to 1, for checks that measure. */
  score?: number;
  /** The measured or expected value, and what was found. */
  reason?: string;
  /** A judge's verdicts, for the agreement among its votes and with a person. */
  votes?: { passed: number; of: number };
  /** Cost of the check itself. */
  costUsd?: number;
}

/** Outcome without the name of the check. */
export type CheckVerdict = Omit<CheckResult, "check">;

/** The case that a check belongs to. */
export interface CheckSubject {
  /** The case's `expected`. */
  expected?: string | undefined;
}

/** Ports that checks use. */
export interface CheckPorts {
  /** Returns the unit vectors of texts. */
  embed(embedder: string, texts: readonly string[], signal: AbortSignal): Promise<number[][]>;
  /** Asks a model for an answer by a JSON Schema; the answer's text and cost. */
  judge(request: JudgeRequest, signal: AbortSignal): Promise<JudgeAnswer>;
}

export interface JudgeRequest {
  model: string;
  system: string;
  prompt: string;
  schema: Record<string, unknown>;
}

export interface JudgeAnswer {
  text: string;
  costUsd: number | undefined;
}

/** Defaults that an eval sets for its checks. */
export interface CheckDefaults {
  embedder: string;
  judge: { model?: string | undefined; votes: number };
}

/** A compiled check. */
export interface Check {
  name: string;
  kind: CheckKind;
  perform(
    seen: Observation,
    of: CheckSubject,
    ports: CheckPorts,
    signal: AbortSignal,
    work: CaseWork,
  ): CheckVerdict | Work<CheckVerdict> | Promise<CheckVerdict>;
}

/** The value of an entry's key. */
export type CheckValue<Kind extends CheckKind> = NonNullable<CheckEntry[Kind]>;

/** A check without its name, or its problem: text that follows the entry's path. */
export type BuiltCheck = Pick<Check, "perform"> | { problem: string; at?: string };

/** Builds a check of one kind from its value. What has to be compiled is counted by `allowance`. */
export type BuildCheck<Kind extends CheckKind> = (
  value: CheckValue<Kind>,
  defaults: CheckDefaults,
  allowance: DocumentAllowance,
) => BuiltCheck | Work<BuiltCheck>;

export const passed = (reason?: string): CheckVerdict => ({ passed: true, ...(reason && { reason }) });
export const failed = (reason: string): CheckVerdict => ({ passed: false, reason });

/** Returns a text for a reason, cut to a length that a table can show. */
export function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  const excerpt = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return typeof value === "string" ? JSON.stringify(excerpt) : excerpt;
}
