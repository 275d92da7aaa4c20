import type { RequestKind } from "../../contracts/daemon/cassettes/cassette-file.ts";
import { canonicalJson } from "../../kit/json/canonical-json.ts";
import type { RequestedBy } from "../run-state/interceptor.ts";
import { comparableText } from "./cassette-secrets.ts";

/** Key by which a replay finds an answer: SHA-256 of the kind, the agent, its role and the request, independent of key order. */
export function requestKey(kind: RequestKind, { agent, role }: RequestedBy, request: unknown): string {
  return new Bun.CryptoHasher("sha256")
    .update(`${kind}\n${agent}\n${role ?? ""}\n${comparable(request)}`)
    .digest("hex");
}

/** A request as JSON with sorted keys, in which all masked secrets are equal. */
export const comparable = (value: unknown): string => canonicalJson(value, comparableText);

/** A request as it is compared. The limit on a model's answer depends on earlier spending, so it is not part of the key. */
export function comparedPart(kind: RequestKind, request: unknown): unknown {
  if (kind !== "model" || typeof request !== "object" || request === null) return request;
  return { ...request, answerTokensMax: undefined };
}
