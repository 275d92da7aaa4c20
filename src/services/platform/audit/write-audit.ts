import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** A change made by an operator or by the system itself. */
export interface AuditEntry {
  /** `user:` and the id, `token` for the operator's token, `cli`, or `system`. */
  actor: string;
  /** For example `plan.create` or `subscription.cancel`. */
  action: string;
  tenantId?: string;
  /** Id of the changed object. */
  subject?: string;
  /** New values, without secrets. */
  detail?: Record<string, unknown>;
  requestId?: string;
}

/** Writes the entry in the transaction of the change, so neither exists without the other. */
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
