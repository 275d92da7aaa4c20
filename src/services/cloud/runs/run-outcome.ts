import type { CloudFrame, CloudRunResult } from "../../../contracts/cloud/runs.ts";
import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { RuntimeFrame } from "../../../contracts/runtime/client.ts";
import type { RunEnded } from "../../../contracts/runtime/runs.ts";
import type { RunEnd } from "../../../control-plane/runs/follow-run.ts";
import type { StopReason } from "../../../control-plane/runs/watch-run.ts";
import { AppError, type ErrorKind, statusOfKind, toAppError } from "../../../kit/app-error.ts";
import { orgRuntimeFailed } from "../agents/registrations.ts";

/** Tokens of all model calls of a run. */
export const tokensOf = (ended: RunEnded | undefined): number =>
  (ended?.usage ?? []).reduce((sum, { tokens_in, tokens_out }) => sum + tokens_in + tokens_out, 0);

/** Returns the result of a run that answered. Throws the AppError of any other. */
export function endedResult({ ended, thrown, stopped }: RunEnd): CloudRunResult {
  if (ended === undefined) throw brokenOff(thrown, stopped);
  if (ended.outcome !== "ok") throw failureOf(ended, stopped);
  const { response, session_id, provider, model, trace_id, metadata } = ended.result as RunResult;
  return {
    answer: response,
    session_id,
    tokens_used: tokensOf(ended),
    model: `${provider}/${model}`,
    latency_ms: metadata?.latency_ms ?? ended.duration_ms,
    trace_id,
  };
}

/** Codes of refusals that the caller can act on. */
const ownCodes: ReadonlySet<string> = new Set(["too_busy", "agent_not_deployed", "not_found"]);

/** Error of a run that broke off without a last frame. */
function brokenOff(thrown: unknown, stopped: StopReason | undefined): AppError {
  if (stopped !== undefined) return stoppedError(stopped);
  const error = toAppError(thrown);
  if (ownCodes.has(error.code)) return error;
  return orgRuntimeFailed(thrown);
}

function failureOf({ outcome, error }: RunEnded, stopped: StopReason | undefined): AppError {
  if (outcome === "timeout") return stoppedError("timeout");
  if (outcome === "cancelled") return stoppedError(stopped ?? "cancelled");
  if (error === undefined) return brokenOff(undefined, undefined);
  const { code, message, facts } = error;
  return new AppError(kindOf(error.status), code, message, facts === undefined ? {} : { details: { facts } });
}

function stoppedError(reason: StopReason): AppError {
  if (reason === "timeout")
    return new AppError("upstream_timed_out", "run_timeout", "The run exceeded its time limit.");
  if (reason === "shutdown")
    return new AppError("unavailable", "too_busy", "The server is stopping. Try again.", {
      details: { retryAfterSeconds: 5 },
    });
  return new AppError("unavailable", "run_cancelled", "The run was cancelled.");
}

function kindOf(status: number): ErrorKind {
  const found = Object.entries(statusOfKind).find(([, one]) => one === status);
  return (found?.[0] as ErrorKind | undefined) ?? "upstream_failed";
}

/** The frame of a stream that reports a failure. */
export const errorFrame = ({ code, message, status }: AppError): CloudFrame => ({
  type: "error",
  error: code,
  message,
  status,
});

/** Returns the frame of the stream for a frame of the runtime; undefined for one that the stream doesn't show. */
export function cloudFrame(frame: RuntimeFrame): CloudFrame | undefined {
  switch (frame.type) {
    case "token":
      return { type: "token", content: frame.content };
    case "tool_call":
      return { type: "tool_call", tool: frame.tool, input: frame.input };
    case "tool_result":
      return { type: "tool_result", tool: frame.tool, output: frame.output };
    default:
      return undefined;
  }
}
