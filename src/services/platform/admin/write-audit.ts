import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** A change that an operator made, or the system on its own. */
export interface AuditEntry {
  /** `user:` and the id, `token` for the operator's token, `cli`, or `system`. */
  actor: string;
  /** `plan.create`, `subscription.cancel` … */
  action: string;
  tenantId?: string;
  /** The id of what was changed. */
  subject?: string;
  /** What it was changed to; no secrets. */
  detail?: Record<string, unknown>;
  requestId?: string;
}

/** Writes the entry in the transaction of the change itself: one is never there without the other. */
export async function writeAudit(
  tx: Query,
  { audit }: PlatformTables,
  { now, newId }: { now: Date; newId: NewId },
  { actor, action, tenantId, subject, detail = {}, requestId }: AuditEntry,
): Promise<void> {
  await tx.insert(audit).values({
    id: newId(),
    at: now,
    actor,
    action,
    tenantId: tenantId ?? null,
    subject: subject ?? null,
    detail,
    requestId: requestId ?? null,
  });
}
