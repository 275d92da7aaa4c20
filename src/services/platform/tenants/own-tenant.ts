import { and, eq, isNull } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import { type AuditEntry, writeAudit } from "../audit/write-audit.ts";
import type { Person } from "../auth/find-actor.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

export type TenantRow = PlatformTables["tenants"]["$inferSelect"];

/** Returns the tenant if it is not deleted and this person may change it: their own, or any for an operator. Otherwise throws 404. */
export async function getOwnTenant(
  query: ReadQuery,
  { tenants }: PlatformTables,
  { userId, role }: Person,
  tenantId: string,
): Promise<TenantRow> {
  const [row] = await query
    .select()
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
  if (row !== undefined && (row.userId === userId || role === "operator")) return row;
  throw new AppError("not_found", "not_found", "There is no such tenant.");
}

/** Records an operator's change to another person's tenant. Owners' changes are not recorded. */
export async function auditForeign(
  tx: Query,
  { storage, clock, newId }: StoreDeps,
  { userId }: Person,
  tenant: TenantRow,
  change: Pick<AuditEntry, "action" | "subject" | "detail">,
): Promise<void> {
  if (tenant.userId === userId) return;
  const entry = { ...change, actor: `user:${userId}`, tenantId: tenant.id };
  await writeAudit(tx, storage.tables, { now: clock.now(), newId }, entry);
}
