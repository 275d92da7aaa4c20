import type { Cassette } from "../../contracts/daemon/cassettes/cassette-file.ts";
import { comparedPart } from "./compared-part.ts";
import { requestKey } from "./request-key.ts";

/** A copy of the recording in which session and tool call ids are replaced by their order, so that two recordings can be compared. */
export function canonicalIds(cassette: Cassette): Cassette {
  const names = new Map([[cassette.request.session_id, "session"]]);
  for (const { kind, answer } of cassette.entries.toSorted((a, b) => a.seq - b.seq)) {
    if (kind !== "model") continue;
    for (const event of answer.events) {
      if (event.type === "tool_call" && !names.has(event.call.id)) {
        names.set(event.call.id, `call ${names.size}`);
      }
    }
  }
  const renamed = rename(cassette, names) as Cassette;
  return {
    ...renamed,
    entries: renamed.entries.map((entry) => ({
      ...entry,
      key: requestKey(entry.kind, entry.by, comparedPart(entry.kind, entry.request)),
    })),
  };
}

const idFields = new Set(["id", "callId", "session_id", "sessionId"]);

function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [
      field,
      idFields.has(field) && typeof item === "string" ? (names.get(item) ?? item) : rename(item, names),
    ]),
  );
}
