import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { RunEnded, RuntimeApproval } from "../../../contracts/runtime/runs.ts";
import { ModelFailure } from "../../../engine/models/model-failure.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import { awaitedIn } from "../paused-runs/paused-runs.ts";

type Figures = Pick<RunEnded, "usage" | "usage_awaited" | "duration_ms" | "left">;

/** Creates the last frame of a successful run. */
export function endedWell(result: RunResult, figures: Figures): RunEnded {
  return { type: "ended", outcome: "ok", result, ...figures };
}

/** Creates the last frame of a run that failed or that waits for a person. */
export function endedOtherwise(
  thrown: unknown,
  figures: Figures,
  { approval, isStopping }: { approval?: RuntimeApproval | undefined; isStopping: boolean },
): RunEnded {
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
  // Tenants have no traces; the platform keeps the id for its operator.
  const { trace_id, ...facts } = details.facts ?? {};
  return {
    type: "ended",
    outcome: outcomeOf(code),
    error: {
      code,
      status,
      message,
      ...(Object.keys(facts).length > 0 && { facts }),
      ...(typeof trace_id === "string" && { trace_id }),
      fault: faultOf(error, isStopping),
    },
    ...figures,
  };
}

function outcomeOf(code: string): RunEnded["outcome"] {
  if (code === "run_cancelled") return "cancelled";
  return code === "orchestration_timeout" ? "timeout" : "error";
}

/**
 * Decides who caused a failure. The caller's own time limits, requests and servers are the caller's fault. So is an answer without text,
 * because instructions can produce it at will. A failing provider of the operator is the service's fault.
 */
function faultOf(error: AppError, isStopping: boolean): "caller" | "service" {
  if (error.code === "run_cancelled") return isStopping ? "service" : "caller";
  const failure = [error, error.cause].find((one) => one instanceof ModelFailure);
  if (failure !== undefined) return failure.isCallersDoing ? "caller" : "service";
  return error.status < 500 || error.code === "provider_failed" ? "caller" : "service";
}
