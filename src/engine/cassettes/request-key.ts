import type { RequestKind } from "../../contracts/daemon/cassette-file.ts";
import type { RequestedBy } from "../run-state/interceptor.ts";
import { comparableText } from "./cassette-secrets.ts";

/** Key by which a replay finds an answer: SHA-256 of the kind, the agent, its role and the request, independent of key order. */
export function requestKey(kind: RequestKind, { agent, role }: RequestedBy, request: unknown): string {
  return new Bun.CryptoHasher("sha256")
    .update(`${kind}\n${agent}\n${role ?? ""}\n${comparable(request)}`)
    .digest("hex");
}

/** A request as JSON with sorted keys, in which all masked secrets are equal. */
export function comparable(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(comparableText(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(comparable).join(",")}]`;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${comparable(item)}`).join(",")}}`;
}

/** A request as it is compared. The limit on a model's answer depends on earlier spending, so it is not part of the key. */
export function comparedPart(kind: RequestKind, request: unknown): unknown {
  if (kind !== "model" || typeof request !== "object" || request === null) return request;
  return { ...request, answerTokensMax: undefined };
}
