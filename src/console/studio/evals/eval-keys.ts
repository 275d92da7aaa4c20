import type { EvalRunStatus } from "../../../contracts/daemon/evals/eval-runs.ts";
import type { Tone } from "../../parts/text/status-badge.tsx";

/** Keys of queries about evals; a change invalidates all below `all`. */
export const evalKeys = {
  all: ["daemon", "evals"],
  list: ["daemon", "evals", "list"],
  one: (name: string) => ["daemon", "evals", "one", name],
  cases: (name: string) => ["daemon", "evals", "cases", name],
  runs: (name: string) => ["daemon", "evals", "runs", name],
  run: (id: string) => ["daemon", "evals", "run", id],
} as const;

export const evalPath = (name: string): string => `/studio/evals/${encodeURIComponent(name)}`;
export const evalRunPath = (id: string): string => `/studio/eval-runs/${encodeURIComponent(id)}`;
export const comparisonPath = (before: string, after: string): string =>
  `${evalRunPath(after)}/compare?${new URLSearchParams({ before })}`;

/** Tones of the states of runs. */
export const runTones: Readonly<Record<EvalRunStatus, Tone>> = {
  running: "accent",
  complete: "good",
  budget: "warn",
  unpriced: "warn",
  cancelled: "plain",
  interrupted: "warn",
  failed: "bad",
};
