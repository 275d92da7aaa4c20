import { inArray } from "drizzle-orm";
import type { AuditList } from "../../../contracts/platform/admin.ts";
import { type AuditFilter, actorId, auditWhere } from "../../../control-plane/audit/audit-filter.ts";
import { listAudit } from "../../../control-plane/audit/list-audit.ts";
import type { PageRequest } from "../../../http/paging.ts";
import type { StoreDeps } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";

interface ChangeFilter extends AuditFilter {
  tenant_id?: string;
}

/** Lists changes by operators and by the system itself, newest first. */
export async function listChanges(
  { storage }: StoreDeps,
  filter: ChangeFilter,
  paging: PageRequest,
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

/** Names of the things that changes are of, and e-mail addresses of users, by id. A page has few ids. */
async function namesOf(
  { read, tables }: StoreDeps["storage"],
  all: readonly (string | null | undefined)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(all)].filter((id) => id !== null && id !== undefined);
  const { users, agents, apiKeys, subscriptions, tariffs, billingPeriods, tenantInvitations } = tables;
  const names = await tenantNames(read, tables, ids);
  // Each has an index by id.
  const kinds = [
    { of: users, id: users.id, name: users.email },
    { of: agents, id: agents.id, name: agents.name },
    { of: apiKeys, id: apiKeys.hash, name: apiKeys.label },
    { of: subscriptions, id: subscriptions.id, name: subscriptions.argoCode },
    { of: tariffs, id: tariffs.id, name: tariffs.model },
    { of: billingPeriods, id: billingPeriods.id, name: billingPeriods.month },
    { of: tenantInvitations, id: tenantInvitations.id, name: tenantInvitations.email },
  ] as const;
  for (const { of, id, name } of kinds) {
    const rows = await read.select({ id, name }).from(of).where(inArray(id, ids));
    for (const row of rows) names.set(row.id, row.name);
  }
  return names;
}
