import type { TenantRight } from "../../../contracts/platform/tenant-rights.ts";
import { type AuditEntry, writeAudit } from "../../../control-plane/audit/write-audit.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { Person } from "../auth/find-actor.ts";
import { type ReachedTenant, requireTenantRight } from "../auth/tenant-role.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

/**
 * Returns the tenant if it is not deleted and this person may change it: as a member with the right, or as an operator. Otherwise
 * throws 404, or 403 `role_required` to members.
 */
export const getOwnTenant = (
  query: ReadQuery,
  tables: PlatformTables,
  person: Person,
  tenantId: string,
  right: TenantRight,
): Promise<ReachedTenant> => requireTenantRight(query, tables, person, { tenantId, right });

/** Records a change to a tenant by an operator or an admin. Owners' changes are not recorded. */
export async function auditForeign(
  tx: Query,
  { storage, clock, newId }: StoreDeps,
  { userId }: Person,
  { tenant, isForeign }: ReachedTenant,
  change: Pick<AuditEntry, "action" | "subject" | "detail">,
): Promise<void> {
  if (!isForeign) return;
  const entry = { ...change, actor: `user:${userId}`, ownerId: tenant.id };
  await writeAudit({ storage, newId }, tx, clock.now(), entry);
}
