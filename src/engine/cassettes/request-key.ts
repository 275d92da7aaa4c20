import type { TapeKind } from "../../contracts/daemon/cassette-file.ts";
import { comparableText } from "./cassette-secrets.ts";
import type { TapedBy } from "./tape.ts";

/** Key by which a replay finds an answer: SHA-256 of the kind, the agent, its role and the request, independent of key order. */
export function requestKey(kind: TapeKind, { agent, role }: TapedBy, request: unknown): string {
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
