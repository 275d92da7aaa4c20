import { AppError } from "../../kit/app-error.ts";

/** Error for a file that can't be read; the message says what to do. */
export function unreadable(message: string, cause?: unknown): AppError {
  return new AppError("unprocessable", "document_unreadable", message, { cause });
}

/** Error for a file that takes more work to read than a document may. */
export function documentTooLarge(message: string, cause?: unknown): AppError {
  return new AppError("unprocessable", "document_too_large", message, { cause });
}
