import type { TapeKind } from "../../contracts/daemon/cassettes/cassette-file.ts";
import { canonicalJson } from "../../kit/json/canonical-json.ts";
import { comparableText } from "./cassette-secrets.ts";
import type { TapedBy } from "./tape.ts";

/** Key by which a replay finds an answer: SHA-256 of the kind, the agent, its role and the request, independent of key order. */
export function requestKey(kind: TapeKind, { agent, role }: TapedBy, request: unknown): string {
  return new Bun.CryptoHasher("sha256")
    .update(`${kind}\n${agent}\n${role ?? ""}\n${comparable(request)}`)
    .digest("hex");
}

/** A request as JSON with sorted keys, in which all masked secrets are equal. */
export const comparable = (value: unknown): string => canonicalJson(value, comparableText);
