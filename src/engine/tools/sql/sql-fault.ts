import { AppError } from "../../../kit/app-error.ts";

/** Error for a statement that is not run; the message tells the model what to do instead. */
export function sqlRefused(message: string): AppError {
  return new AppError("invalid", "sql_refused", message);
}

/** Error for a failed statement; the message tells the model what to do instead. */
export function sqlFailed(message: string, cause?: unknown): AppError {
  return new AppError("unprocessable", "sql_failed", message, cause === undefined ? {} : { cause });
}
