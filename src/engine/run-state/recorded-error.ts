import type { RecordedError } from "../../contracts/daemon/cassettes/cassette-file.ts";
import { AppError, type ErrorKind, statusOfKind, toAppError } from "../../kit/app-error.ts";

/** The part of an error that a cassette keeps: what its caller may see. */
export function recordError(thrown: unknown): RecordedError {
  const { kind, code, message, details } = toAppError(thrown);
  return {
    kind,
    code,
    message,
    ...(details.hint === undefined ? {} : { hint: details.hint }),
    ...(details.retryAfterSeconds === undefined ? {} : { retry_after_seconds: details.retryAfterSeconds }),
  };
}

/** The recorded error as an AppError. */
export function restoreError(recorded: RecordedError): AppError {
  return restored(AppError, recorded);
}

/** An error that stopped a run before its pause. The resumed run gets it at the same request, without an abort of its signal. */
class RestoredStop extends AppError {}

/** As `restoreError`, for an error that stopped the run. */
export function restoreStop(recorded: RecordedError): AppError {
  return restored(RestoredStop, recorded);
}

/** Returns true if the recorded run was stopped at this request. Code that continues after a failure must not continue after a stop. */
export function isRestoredStop(thrown: unknown): boolean {
  return thrown instanceof RestoredStop;
}

function restored(
  As: typeof AppError,
  { kind, code, message, hint, retry_after_seconds }: RecordedError,
): AppError {
  return new As(Object.hasOwn(statusOfKind, kind) ? (kind as ErrorKind) : "internal", code, message, {
    details: {
      ...(hint === undefined ? {} : { hint }),
      ...(retry_after_seconds === undefined ? {} : { retryAfterSeconds: retry_after_seconds }),
    },
  });
}

/** The error of a run that was stopped, whatever its call threw. */
export function stopOf({ reason }: AbortSignal): RecordedError {
  if (reason instanceof AppError) return recordError(reason);
  return readerLeft;
}

/** Error of a run whose reader disconnected. */
export const readerLeft: RecordedError = {
  kind: "unavailable",
  code: "run_cancelled",
  message: "The run was cancelled.",
};

const stops: ReadonlySet<string> = new Set(["orchestration_timeout", "run_cancelled"]);

/** Returns true if the error means that the run was cancelled or timed out. */
export function isStop({ code }: RecordedError): boolean {
  return stops.has(code);
}
