import { type Static, Type } from "@sinclair/typebox";
import { and, eq, gte, lt, type SQL } from "drizzle-orm";
import { readInstant } from "../../http/read-instant.ts";
import type { AuditTables } from "./audit-table.ts";

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }));

/** Parameters that choose entries of an audit log. */
export const auditParameters = {
  action: text(64, "Returns only entries with this action."),
  actor: text(128, "Returns only entries of this actor."),
  since: text(64, "Earliest instant, ISO 8601."),
  until: text(64, "First instant after the list, ISO 8601."),
};

const AuditFilter = Type.Object(auditParameters);
export type AuditFilter = Static<typeof AuditFilter>;

/** Entries of one owner, or of all, that a filter chooses. Throws 400 for a time that is none. */
export function auditWhere(
  { audit }: AuditTables,
  ownerId: string | undefined,
  { action, actor, ...range }: AuditFilter,
): SQL | undefined {
  const since = readInstant("since", range.since);
  const until = readInstant("until", range.until);
  return and(
    ownerId === undefined ? undefined : eq(audit.ownerId, ownerId),
    action === undefined ? undefined : eq(audit.action, action),
    actor === undefined ? undefined : eq(audit.actor, actor),
    since === undefined ? undefined : gte(audit.at, since),
    until === undefined ? undefined : lt(audit.at, until),
  );
}

/** Returns the id of an actor who is a person or an API key; undefined for any other. */
export const actorId = (actor: string): string | undefined => /^(?:user|key):(.+)$/.exec(actor)?.[1];
