import type { NewId } from "../../kit/id.ts";
import type { Query } from "../../storage/storage.ts";
import type { AuditTables } from "./audit-table.ts";

/** A change by a person, a key, an operator, the machine's owner or the system. */
export interface AuditEntry {
  /** The tenant or org that it concerns; null for none. */
  ownerId: string | null;
  actor: string;
  action: string;
  subject?: string;
  /** New values, without secrets. */
  detail?: Record<string, unknown>;
  requestId?: string;
}

interface AuditDeps {
  storage: { tables: AuditTables };
  newId: NewId;
}

/** Writes the entry in the transaction of the change, so neither exists without the other. */
export async function writeAudit(
  { storage, newId }: AuditDeps,
  tx: Query,
  now: Date,
  { ownerId, actor, action, subject, detail = {}, requestId }: AuditEntry,
): Promise<void> {
  await tx.insert(storage.tables.audit).values({
    id: newId(),
    at: now,
    ownerId,
    actor,
    action,
    subject: subject ?? null,
    detail,
    requestId: requestId ?? null,
  });
}
