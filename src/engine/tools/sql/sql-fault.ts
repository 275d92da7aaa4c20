import { AppError } from "../../../kit/app-error.ts";

/** A statement that is not run; the message tells the model what to do instead. */
export function sqlRefused(message: string): AppError {
  return new AppError("invalid", "sql_refused", message);
}

/** A statement that failed; the message tells the model what to do instead. */
export function sqlFailed(message: string, cause?: unknown): AppError {
  return new AppError("unprocessable", "sql_failed", message, cause === undefined ? {} : { cause });
}
