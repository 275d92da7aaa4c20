import type { RunResult } from "../../../contracts/daemon/run.ts";
import type { RunEnded, RuntimeApproval, RuntimeUsage } from "../../../contracts/runtime/runs.ts";
import { toAppError } from "../../../kit/app-error.ts";
import { awaitedIn } from "../approvals/approval-desk.ts";

type Figures = { usage: RuntimeUsage[]; duration_ms: number };

/** The last frame of a run that answered. */
export function endedWell(result: RunResult, figures: Figures): RunEnded {
  return { type: "ended", outcome: "ok", result, ...figures };
}

/** The last frame of a run that did not, or that waits for a person. */
export function endedOtherwise(thrown: unknown, figures: Figures, approval?: RuntimeApproval): RunEnded {
  const error = toAppError(thrown);
  const awaited = awaitedIn(error);
  if (awaited?.status === "awaiting_approval") {
    return {
      type: "ended",
      outcome: "awaiting_approval",
      approval_id: awaited.approval_id,
      ...(approval && { approval }),
      ...figures,
    };
  }
  const { code, status, message, details } = error;
  return {
    type: "ended",
    outcome: outcomeOf(code),
    error: { code, status, message, ...(details.facts && { facts: details.facts }) },
    ...figures,
  };
}

function outcomeOf(code: string): RunEnded["outcome"] {
  if (code === "run_cancelled") return "cancelled";
  return code === "orchestration_timeout" ? "timeout" : "error";
}
