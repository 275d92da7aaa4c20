import { and, desc, eq, lt } from "drizzle-orm";
import type { AuditList } from "../../../contracts/platform/admin.ts";
import { type PageQuery, pageOf, readIdCursor } from "../../../http/paging.ts";
import type { StoreDeps } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";

/** Lists changes by operators and by the system itself, newest first. */
export async function listAudit(
  { storage: { read, tables } }: StoreDeps,
  { tenant_id, action, actor }: { tenant_id?: string; action?: string; actor?: string },
  { limit, cursor }: PageQuery,
): Promise<AuditList> {
  const { audit } = tables;
  const before = readIdCursor(cursor);
  const rows = await read
    .select()
    .from(audit)
    .where(
      and(
        tenant_id === undefined ? undefined : eq(audit.tenantId, tenant_id),
        action === undefined ? undefined : eq(audit.action, action),
        actor === undefined ? undefined : eq(audit.actor, actor),
        before === undefined ? undefined : lt(audit.id, before),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  const names = await tenantNames(
    read,
    tables,
    page.map(({ tenantId }) => tenantId),
  );
  const entries = page.map(({ id, at, actor, action, tenantId, subject, detail, requestId }) => ({
    id,
    at: at.toISOString(),
    actor,
    action,
    tenant_id: tenantId,
    tenant_name: tenantId === null ? null : (names.get(tenantId) ?? null),
    subject,
    detail,
    request_id: requestId,
  }));
  return { entries, ...next };
}
