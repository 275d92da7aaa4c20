import type { TapedError } from "../../contracts/daemon/cassette-file.ts";
import { AppError, type ErrorKind, statusOfKind, toAppError } from "../../kit/app-error.ts";

/** What a cassette keeps of an error: what its caller may see. */
export function tapeError(thrown: unknown): TapedError {
  const { kind, code, message, details } = toAppError(thrown);
  return {
    kind,
    code,
    message,
    ...(details.hint === undefined ? {} : { hint: details.hint }),
    ...(details.retryAfterSeconds === undefined ? {} : { retry_after_seconds: details.retryAfterSeconds }),
  };
}

/** The error again, as the run met it. */
export function untapeError({ kind, code, message, hint, retry_after_seconds }: TapedError): AppError {
  return new AppError(Object.hasOwn(statusOfKind, kind) ? (kind as ErrorKind) : "internal", code, message, {
    details: {
      ...(hint === undefined ? {} : { hint }),
      ...(retry_after_seconds === undefined ? {} : { retryAfterSeconds: retry_after_seconds }),
    },
  });
}

/** What a run that was stopped says, whatever its call threw. */
export function stopOf({ reason }: AbortSignal): TapedError {
  if (reason instanceof AppError) return tapeError(reason);
  return readerLeft;
}

/** How a run ends whose reader has left. */
export const readerLeft: TapedError = {
  kind: "unavailable",
  code: "run_cancelled",
  message: "The run was cancelled.",
};

const stops: ReadonlySet<string> = new Set(["orchestration_timeout", "run_cancelled"]);

/** Whether a run ended by this because somebody or its time stopped it. */
export function isStop({ code }: TapedError): boolean {
  return stops.has(code);
}
