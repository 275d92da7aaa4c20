import { AppError } from "../../kit/app-error.ts";

/** What can't be read as it is, with what to do about it. */
export function unreadable(message: string, cause?: unknown): AppError {
  return new AppError("unprocessable", "document_unreadable", message, { cause });
}

/** What takes more to read than a document may. */
export function documentTooLarge(message: string, cause?: unknown): AppError {
  return new AppError("unprocessable", "document_too_large", message, { cause });
}
