import type { RunResult } from "../../../../contracts/daemon/runs/run.ts";
import type { RunAwaiting } from "../../../../contracts/platform/runs/run-frames.ts";
import type { PlatformRunResult } from "../../../../contracts/platform/runs/runs.ts";
import type { RunEnded } from "../../../../contracts/runtime/runs.ts";
import type { StopReason } from "../../../../control-plane/runs/watch-run.ts";
import { AppError, type ErrorKind, statusOfKind, toAppError } from "../../../../kit/app-error.ts";
import { tenantRuntimeFailed } from "../../agents/registrations.ts";
import type { RunEnding, Settled } from "./settle-invocation.ts";

/** Outcome of a run for its caller. */
export type RunOutcome =
  | { kind: "done"; result: PlatformRunResult; creditPercent: number | undefined }
  | { kind: "awaiting"; awaiting: RunAwaiting }
  | { kind: "failed"; status: RunEnding["status"]; error: AppError };

/**
 * Converts the runtime's last frame to the ending to record. Without a frame, the usage is unknown. `stopped` is the reason why this
 * process stopped the run. A run that the tenant ended without an answer is not charged; see `cancel-limit.ts`. A fault of the service is
 * forgiven only if nothing has left the run, neither in frames (`wasSent`) nor otherwise.
 */
export function endingAfter(
  ended: RunEnded | undefined,
  thrown: unknown,
  stopped: StopReason | undefined,
  wasSent = false,
): RunEnding {
  if (ended === undefined)
    return { ...unknownUse, ...(stopped === undefined ? brokenOff(thrown) : stop(stopped)) };
  const isTenantsDoing = isEndedByTenant(ended, stopped);
  // A run stopped by its time limit was not cancelled by its caller.
  if (ended.outcome === "cancelled" && stopped === "timeout")
    return { ...endingOf(ended), ...stop("timeout"), isTenantsDoing };
  const ending = endingOf(ended);
  const isFailure = ending.status === "error" || ending.status === "cancelled";
  const hasLeft = isFailure && !isTenantsDoing && (wasSent || ended.left === true);
  return { ...ending, isTenantsDoing, isCharged: ending.isCharged || hasLeft };
}

/**
 * Returns true if the tenant caused the end. A stop of this process or of the runtime does not count; for errors, the runtime says who
 * caused them.
 */
function isEndedByTenant({ outcome, error }: RunEnded, stopped: StopReason | undefined): boolean {
  switch (outcome) {
    case "timeout":
      return true;
    case "cancelled":
      return stopped !== "shutdown" && error?.fault !== "service";
    case "error":
      return (
        (error?.fault ?? (error !== undefined && error.status < 500 ? "caller" : "service")) === "caller"
      );
    default:
      return false;
  }
}

const unknownUse = { usage: [], durationMs: 0, isCharged: false };

const stop = (reason: StopReason) => {
  const status = reason === "shutdown" ? "cancelled" : reason;
  return { status, ...failureOf(status, undefined) };
};

/** Reasons why the runtime can't resume a run. */
const goneCodes = new Set([
  "tool_outcome_unknown",
  "agent_changed",
  "approval_not_found",
  "approval_expired",
  "approval_decided",
]);

/** Ending for a run that the runtime refused or whose connection broke. Such details concern only the operator. */
function brokenOff(thrown: unknown): Pick<RunEnding, "status" | "errorCode" | "message"> {
  const error = toAppError(thrown);
  const isTold = error.code === "runtime_unreachable" || goneCodes.has(error.code);
  const { code, message } = isTold ? error : tenantRuntimeFailed(thrown);
  return { status: "error", errorCode: code, message };
}

/** An answer is charged, even one that a guardrail blocked at the end. */
function endingOf(ended: RunEnded): RunEnding {
  const { outcome, error, result, usage, duration_ms } = ended;
  const traceId = (result as RunResult | undefined)?.trace_id ?? error?.trace_id;
  const { approval_id } = ended;
  if (outcome === "awaiting_approval" && approval_id === undefined)
    return { ...unknownUse, ...brokenOff(undefined) };
  return {
    status: error?.code === "tool_outcome_unknown" ? "interrupted" : outcome,
    usage,
    durationMs: duration_ms,
    isCharged: outcome === "ok" || isBlockedAnswer(error),
    ...(traceId === undefined ? {} : { traceId }),
    ...(approval_id === undefined ? {} : { approval: { id: approval_id, call: ended.approval ?? {} } }),
    ...failureOf(outcome, error),
  };
}

function failureOf(outcome: RunEnded["outcome"], error: RunEnded["error"]): Partial<RunEnding> {
  switch (outcome) {
    case "ok":
    case "awaiting_approval":
      return {};
    case "timeout":
      return { errorCode: "run_timeout", message: "The run exceeded its time limit." };
    case "cancelled":
      return { errorCode: "run_cancelled", message: "The run was cancelled." };
    case "error":
      return { errorCode: error?.code ?? "runtime_failed", message: error?.message ?? "The runtime failed." };
  }
}

function isBlockedAnswer(error: RunEnded["error"]): boolean {
  return error?.code === "guardrail_blocked" && error.facts?.stage === "output";
}

/** Answer for a run that waits for a person. */
export function awaitingOf(
  { invocationId, sessionId }: { invocationId: string; sessionId: string },
  approval: { id: string },
): RunAwaiting {
  return {
    invocation_id: invocationId,
    status: "awaiting_approval",
    approval_id: approval.id,
    session_id: sessionId,
  };
}

/** Error of a run whose process died; its answer is unknown. */
export const interrupted = () =>
  new AppError("unavailable", "interrupted", "The run was interrupted; it is not charged.");

/** Error for the caller of a durable run whose process can't finish it. */
export const continuedElsewhere = () =>
  new AppError(
    "unavailable",
    "interrupted",
    "This process could not finish the run; another one continues it.",
    {
      details: {
        hint: "With an Idempotency-Key, send the request again for the answer.",
        retryAfterSeconds: 2,
      },
    },
  );

/** Result of a synchronous run; absent keys are omitted. */
export function resultOf(ended: RunEnded, { invocation, price }: Settled): PlatformRunResult {
  const { session_id, response, data, chain, propuestas } = ended.result as RunResult;
  const { id, chargedMicros, tokensIn, tokensOut, byModel } = invocation;
  return {
    invocation_id: id,
    status: "ok",
    session_id,
    answer: response,
    usage: { tokens_in: tokensIn, tokens_out: tokensOut, by_model: byModel },
    credits_charged_micros: chargedMicros,
    pricing_status: price.pricingStatus,
    ...(data === undefined ? {} : { data }),
    ...(chain === undefined ? {} : { chain }),
    ...(propuestas === undefined ? {} : { propuestas }),
  };
}

/** Error of a run without an answer, with the HTTP status from the platform's table. */
export function failureOfEnding({ status, errorCode, message }: RunEnding, ended?: RunEnded): AppError {
  const code = errorCode ?? "runtime_failed";
  const text = message ?? "The runtime failed.";
  const facts = ended?.error?.facts;
  return new AppError(
    goneCodes.has(code) ? "conflict" : kindOf(status, ended?.error?.status),
    code,
    text,
    facts === undefined ? {} : { details: { facts } },
  );
}

/** Errors that the caller can fix keep their 4xx status. All other failures behind the platform are 502. */
function kindOf(status: RunEnding["status"], runtimeStatus: number | undefined): ErrorKind {
  if (status === "timeout") return "upstream_timed_out";
  if (status === "cancelled" || status === "interrupted") return "unavailable";
  return runtimeStatus === statusOfKind.unprocessable || runtimeStatus === statusOfKind.payment_required
    ? "unprocessable"
    : "upstream_failed";
}
