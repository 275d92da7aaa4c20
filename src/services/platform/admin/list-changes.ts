import { and, eq, gte, inArray, lt } from "drizzle-orm";
import type { AuditList } from "../../../contracts/platform/admin.ts";
import { listAudit } from "../../../control-plane/audit/list-audit.ts";
import type { PageQuery } from "../../../http/paging.ts";
import { readInstant } from "../../../http/read-instant.ts";
import type { StoreDeps } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";

interface ChangeFilter {
  tenant_id?: string;
  action?: string;
  actor?: string;
  /** First instant of the list. */
  since?: string;
  /** End of the list, exclusive. */
  until?: string;
}

const userActor = "user:";

/** Lists changes by operators and by the system itself, newest first. */
export async function listChanges(
  { storage }: StoreDeps,
  filter: ChangeFilter,
  paging: PageQuery,
): Promise<AuditList> {
  const { audit } = storage.tables;
  const { tenant_id, action, actor } = filter;
  const since = readInstant("since", filter.since);
  const until = readInstant("until", filter.until);
  const of = and(
    tenant_id === undefined ? undefined : eq(audit.ownerId, tenant_id),
    action === undefined ? undefined : eq(audit.action, action),
    actor === undefined ? undefined : eq(audit.actor, actor),
    since === undefined ? undefined : gte(audit.at, since),
    until === undefined ? undefined : lt(audit.at, until),
  );
  const { page, next } = await listAudit(storage, of, paging);
  const userOf = (name: string) => (name.startsWith(userActor) ? name.slice(userActor.length) : undefined);
  const names = await namesOf(
    storage,
    page.flatMap(({ ownerId, entry }) => [ownerId, userOf(entry.actor), entry.subject]),
  );
  const nameOf = (id: string | null | undefined) => names.get(id ?? "") ?? null;
  const entries = page.map(({ ownerId, entry }) => ({
    ...entry,
    actor_name: nameOf(userOf(entry.actor)),
    tenant_id: ownerId,
    tenant_name: nameOf(ownerId),
    subject_name: nameOf(entry.subject),
  }));
  return { entries, ...next };
}

/** Names of tenants and agents and e-mail addresses of users, by id. A page has few ids. */
async function namesOf(
  { read, tables }: StoreDeps["storage"],
  all: readonly (string | null | undefined)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(all)].filter((id) => id !== null && id !== undefined);
  const { users, agents } = tables;
  const people = await read
    .select({ id: users.id, name: users.email })
    .from(users)
    .where(inArray(users.id, ids));
  const named = await read
    .select({ id: agents.id, name: agents.name })
    .from(agents)
    .where(inArray(agents.id, ids));
  const names = await tenantNames(read, tables, ids);
  for (const { id, name } of [...people, ...named]) names.set(id, name);
  return names;
}
