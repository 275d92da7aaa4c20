import type { ReactNode } from "react";
import type { TurnResult } from "../../contracts/evals/eval-run.ts";
import type { HostedEvalCalls } from "../../contracts/evals/hosted-eval-calls.ts";
import type { HostedEval, HostedEvalRun, HostedEvalRunStatus } from "../../contracts/evals/hosted-evals.ts";
import type { Tone } from "../parts/text/status-badge.tsx";

/** The tenant or org whose evals are shown, and what its service shows of them. */
export interface EvalHost<Run extends HostedEvalRun = HostedEvalRun> {
  calls: Omit<HostedEvalCalls<never, Run, Run>, "startEvalRun">;
  /** Keys of queries; a change invalidates all below `all`. */
  keys: EvalKeys;
  paths: {
    evals: string;
    run: (id: string) => string;
    /** Page of the run of a turn; undefined if there is none. */
    turn: (run: Run, turn: TurnResult) => string | undefined;
  };
  /** The version that a run asked, in a few words. */
  versionOf: (run: Run) => string;
  spent: { label: string; of: (run: Run) => string };
  /** True for people who may change an eval that a release gate requires. */
  managesGates: boolean;
  texts: { lead: string; none: string; deleteText: string };
  /** Dialog that orders a run. */
  runDialog: (of: HostedEval, close: () => void) => ReactNode;
}

export const evalKeys = (service: "platform" | "cloud", owner: string) => {
  const all = [service, owner, "evals"];
  return {
    all,
    list: [...all, "list"],
    runs: [...all, "runs"],
    run: (id: string) => [...all, "run", id],
    results: (id: string, part: string) => [...all, "results", id, part],
    edited: (name: string) => [...all, "to edit", name],
  };
};

export type EvalKeys = ReturnType<typeof evalKeys>;

export const evalRunTones: Readonly<Record<HostedEvalRunStatus, Tone>> = {
  queued: "plain",
  running: "accent",
  complete: "good",
  budget: "warn",
  cancelled: "plain",
  failed: "bad",
};
