import type { TapeKind } from "../../contracts/daemon/cassette-file.ts";

/** How long the answer of a model may be follows from what was spent before, and decides nothing: it is no part of the key. */
export function comparedPart(kind: TapeKind, request: unknown): unknown {
  if (kind !== "model" || typeof request !== "object" || request === null) return request;
  return { ...request, answerTokensMax: undefined };
}
