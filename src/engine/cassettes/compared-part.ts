import type { TapeKind } from "../../contracts/daemon/cassettes/cassette-file.ts";

/** A request as it is compared. The limit on a model's answer depends on earlier spending, so it is not part of the key. */
export function comparedPart(kind: TapeKind, request: unknown): unknown {
  if (kind !== "model" || typeof request !== "object" || request === null) return request;
  return { ...request, answerTokensMax: undefined };
}
