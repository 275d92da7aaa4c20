import type { Query } from "../../../storage/storage.ts";
import { type AuditEntry, writeAudit } from "../admin/write-audit.ts";
import type { Person } from "../auth/find-actor.ts";
import type { PlatformDeps } from "../deps.ts";
import type { TenantRow } from "./own-tenant.ts";

/** Records an operator's change to another person's tenant. Owners' changes are not recorded. */
export async function auditForeign(
  tx: Query,
  { storage, clock, newId }: PlatformDeps,
  { userId }: Person,
  tenant: TenantRow,
  change: Pick<AuditEntry, "action" | "subject" | "detail">,
): Promise<void> {
  if (tenant.userId === userId) return;
  const entry = { ...change, actor: `user:${userId}`, tenantId: tenant.id };
  await writeAudit(tx, storage.tables, { now: clock.now(), newId }, entry);
}
