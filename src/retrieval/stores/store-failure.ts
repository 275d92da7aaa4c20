import { AppError } from "../../kit/app-error.ts";

/** The 503 of a store that can't do its work now; `message` says what to do and holds no address, key or statement. */
export function storeUnavailable(message: string, cause?: unknown): AppError {
  return new AppError("unavailable", "vectors_unavailable", message, { cause });
}

/** The 409 for vectors that can't be compared with those of the collection. */
export function dimensionMismatch(dimension: number, given: number): AppError {
  return new AppError(
    "conflict",
    "dimension_mismatch",
    `The collection holds vectors of ${dimension} numbers, not of ${given}: it was filled with another embedder. Use that one, or delete the collection and fill it again.`,
    { details: { facts: { dimension, given } } },
  );
}
