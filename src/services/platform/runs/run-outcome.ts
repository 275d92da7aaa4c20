import type { RunResult } from "../../../contracts/daemon/run.ts";
import type { RunAwaiting } from "../../../contracts/platform/run-frames.ts";
import type { PlatformRunResult } from "../../../contracts/platform/runs.ts";
import type { RunEnded } from "../../../contracts/runtime/runs.ts";
import { AppError, type ErrorKind, statusOfKind } from "../../../kit/app-error.ts";
import type { RunEnding, Settled } from "./settle-invocation.ts";

/** How a run ended, as its caller is told. */
export type RunOutcome =
  | { kind: "done"; result: PlatformRunResult; creditPercent: number | undefined }
  | { kind: "awaiting"; awaiting: RunAwaiting }
  | { kind: "failed"; status: RunEnding["status"]; error: AppError };

/** A run's ending for the ledger, from the runtime's last frame. An answer is charged; so is one that a guardrail held back at the end. */
export function endingOf({ outcome, error, result, usage, duration_ms }: RunEnded): RunEnding {
  const answer = result as RunResult | undefined;
  return {
    status: outcome,
    usage,
    durationMs: duration_ms,
    isCharged: outcome === "ok" || isBlockedAnswer(error),
    ...(answer?.trace_id === undefined ? {} : { traceId: answer.trace_id }),
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

/** The answer to a synchronous run: absent keys are left out. */
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

/** The error of a run that gave no answer, with the status that the platform's table has for it. */
export function failureOfEnding({ status, errorCode, message }: RunEnding, ended?: RunEnded): AppError {
  const code = errorCode ?? "runtime_failed";
  const text = message ?? "The runtime failed.";
  const facts = ended?.error?.facts;
  return new AppError(
    kindOf(status, ended?.error?.status),
    code,
    text,
    facts === undefined ? {} : { details: { facts } },
  );
}

/** What is the caller's to mend keeps its 4xx; all that failed behind the platform is 502. */
function kindOf(status: RunEnding["status"], runtimeStatus: number | undefined): ErrorKind {
  if (status === "timeout") return "upstream_timed_out";
  if (status === "cancelled" || status === "interrupted") return "unavailable";
  return runtimeStatus === statusOfKind.unprocessable || runtimeStatus === statusOfKind.payment_required
    ? "unprocessable"
    : "upstream_failed";
}
