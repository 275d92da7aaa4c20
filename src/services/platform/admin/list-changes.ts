import { inArray } from "drizzle-orm";
import type { AuditList } from "../../../contracts/platform/admin.ts";
import { type AuditFilter, actorId, auditWhere } from "../../../control-plane/audit/audit-filter.ts";
import { listAudit } from "../../../control-plane/audit/list-audit.ts";
import type { PageQuery } from "../../../http/paging.ts";
import type { StoreDeps } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";

interface ChangeFilter extends AuditFilter {
  tenant_id?: string;
}

/** Lists changes by operators and by the system itself, newest first. */
export async function listChanges(
  { storage }: StoreDeps,
  filter: ChangeFilter,
  paging: PageQuery,
): Promise<AuditList> {
  const of = auditWhere(storage.tables, filter.tenant_id, filter);
  const { page, next } = await listAudit(storage, of, paging);
  const names = await namesOf(
    storage,
    page.flatMap(({ ownerId, entry }) => [ownerId, actorId(entry.actor), entry.subject]),
  );
  const nameOf = (id: string | null | undefined) => names.get(id ?? "") ?? null;
  const entries = page.map(({ ownerId, entry }) => ({
    ...entry,
    actor_name: nameOf(actorId(entry.actor)),
    tenant_id: ownerId,
    tenant_name: nameOf(ownerId),
    subject_name: nameOf(entry.subject),
  }));
  return { entries, ...next };
}

/** Names of tenants, agents and keys, and e-mail addresses of users, by id. A page has few ids. */
async function namesOf(
  { read, tables }: StoreDeps["storage"],
  all: readonly (string | null | undefined)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(all)].filter((id) => id !== null && id !== undefined);
  const { users, agents, apiKeys } = tables;
  const people = await read
    .select({ id: users.id, name: users.email })
    .from(users)
    .where(inArray(users.id, ids));
  const named = await read
    .select({ id: agents.id, name: agents.name })
    .from(agents)
    .where(inArray(agents.id, ids));
  const keys = await read
    .select({ id: apiKeys.hash, name: apiKeys.label })
    .from(apiKeys)
    .where(inArray(apiKeys.hash, ids));
  const names = await tenantNames(read, tables, ids);
  for (const { id, name } of [...people, ...named, ...keys]) names.set(id, name);
  return names;
}
