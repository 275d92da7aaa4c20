import { AppError, type ErrorKind, toAppError } from "../../../kit/app-error.ts";
import type { CollectionDeps } from "./deps.ts";

/** Refusals that are about what was asked; all others are about the operator's stores and servers. */
const askedKinds: ReadonlySet<ErrorKind> = new Set([
  "invalid",
  "not_found",
  "unsupported",
  "unprocessable",
  "too_large",
  "conflict",
]);

/** Of those kinds, codes that are about the operator's things after all. */
const operatorsCodes: ReadonlySet<string> = new Set(["not_found", "reindex_needed", "collection_elsewhere"]);

/** Hints in terms of the platform, where the runtime names routes of its own. */
const hints: Readonly<Record<string, string>> = {
  collection_not_found:
    "PUT /api/v1/collections/{collection}/documents/{id} creates the collection with its first document.",
  collection_busy: "Try again in a moment.",
};

/**
 * Asks the runtime, which keeps tenants' documents. What is wrong with the request is passed on; anything else is
 * `documents_unavailable` (503), which says nothing of the operator's stores.
 */
export async function reachDocuments<T>(
  { log }: Pick<CollectionDeps, "log">,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    const { kind, code, message, details } = toAppError(thrown);
    if (code === "too_busy") throw thrown;
    if (askedKinds.has(kind) && !operatorsCodes.has(code)) {
      const hint = hints[code];
      throw new AppError(kind, code, message, { details: { ...details, ...(hint && { hint }) } });
    }
    log.warn("documents.unavailable", { code, err: thrown });
    throw new AppError("unavailable", "documents_unavailable", "The documents are currently unavailable.", {
      details: {
        hint: "Try again in a moment. If the problem persists, tell the operator.",
        retryAfterSeconds: 5,
      },
      cause: thrown,
    });
  }
}
