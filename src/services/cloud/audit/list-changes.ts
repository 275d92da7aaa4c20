import { and, eq, inArray } from "drizzle-orm";
import type { CloudAuditList } from "../../../contracts/cloud/audit.ts";
import { type AuditFilter, actorId, auditWhere } from "../../../control-plane/audit/audit-filter.ts";
import { listAudit } from "../../../control-plane/audit/list-audit.ts";
import type { PageRequest } from "../../../http/paging.ts";
import type { CloudStorage } from "../tables.ts";

/** Lists the changes to an org, newest first, with the names of people, members and keys. */
export async function listChanges(
  storage: CloudStorage,
  orgId: string,
  filter: AuditFilter,
  paging: PageRequest,
): Promise<CloudAuditList> {
  const { page, next } = await listAudit(storage, auditWhere(storage.tables, orgId, filter), paging);
  const { people, names } = await namesOf(
    storage,
    orgId,
    page.flatMap(({ entry }) => actorId(entry.actor) ?? []),
    page.flatMap(({ entry }) => entry.subject ?? []),
  );
  const entries = page.map(({ entry }) => ({
    ...entry,
    actor_name: nameIn(people, actorId(entry.actor)) ?? nameIn(names, actorId(entry.actor)) ?? null,
    subject_name: nameIn(names, entry.subject) ?? memberIn(entry),
  }));
  return { entries, ...next };
}

interface Named {
  id: string;
  name: string;
}

const nameIn = (named: readonly Named[], id: string | null | undefined): string | undefined =>
  named.find((one) => one.id === id)?.name;

/** Entries about a member who is gone have the e-mail address in their details. */
const memberIn = ({ action, detail: { email } }: { action: string; detail: Record<string, unknown> }) =>
  action.startsWith("member.") && typeof email === "string" ? email : null;

/**
 * Names of the org's keys, and e-mail addresses of its members and of people, by id. Only actors are people: a subject may have any name,
 * also the id of a stranger. A page has few ids.
 */
async function namesOf(
  { read, tables: { users, members, apiKeys } }: CloudStorage,
  orgId: string,
  actors: readonly string[],
  subjects: readonly string[],
): Promise<{ people: Named[]; names: Named[] }> {
  const ids = [...new Set([...actors, ...subjects])];
  const people = await read
    .select({ id: users.id, name: users.email })
    .from(users)
    .where(inArray(users.id, [...new Set(actors)]));
  const joined = await read
    .select({ id: members.id, name: members.email })
    .from(members)
    .where(and(eq(members.orgId, orgId), inArray(members.id, ids)));
  const keys = await read
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.orgId, orgId), inArray(apiKeys.id, ids)));
  return { people, names: [...joined, ...keys] };
}
