import { and, eq } from "drizzle-orm";
import type { AuditList } from "../../../contracts/platform/admin.ts";
import { listAudit } from "../../../control-plane/audit/list-audit.ts";
import type { PageQuery } from "../../../http/paging.ts";
import type { StoreDeps } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";

/** Lists changes by operators and by the system itself, newest first. */
export async function listChanges(
  { storage }: StoreDeps,
  { tenant_id, action, actor }: { tenant_id?: string; action?: string; actor?: string },
  paging: PageQuery,
): Promise<AuditList> {
  const { read, tables } = storage;
  const { audit } = tables;
  const of = and(
    tenant_id === undefined ? undefined : eq(audit.ownerId, tenant_id),
    action === undefined ? undefined : eq(audit.action, action),
    actor === undefined ? undefined : eq(audit.actor, actor),
  );
  const { page, next } = await listAudit(storage, of, paging);
  const names = await tenantNames(
    read,
    tables,
    page.map(({ ownerId }) => ownerId),
  );
  const entries = page.map(({ ownerId, entry }) => ({
    ...entry,
    tenant_id: ownerId,
    tenant_name: ownerId === null ? null : (names.get(ownerId) ?? null),
  }));
  return { entries, ...next };
}
