import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { OrgActor } from "../access/credentials.ts";
import type { CloudTables } from "../tables.ts";

/** A change by a person, a key, the machine's owner or the system. */
export interface AuditEntry {
  orgId: string | null;
  /** `user:` or `key:` and the id, `machine` for its owner's command line, or `system`. */
  actor: string;
  /** For example `agent.deploy` or `key.revoke`. */
  action: string;
  /** Id or name of the changed object. */
  subject?: string;
  /** New values, without secrets. */
  detail?: Record<string, unknown>;
  requestId?: string;
}

interface AuditDeps {
  storage: { tables: Pick<CloudTables, "audit"> };
  newId: NewId;
}

/** Writes the entry in the transaction of the change, so neither exists without the other. */
export async function writeAudit(
  { storage, newId }: AuditDeps,
  tx: Query,
  now: Date,
  { orgId, actor, action, subject, detail = {}, requestId }: AuditEntry,
): Promise<void> {
  await tx.insert(storage.tables.audit).values({
    id: newId(),
    at: now,
    orgId,
    actor,
    action,
    subject: subject ?? null,
    detail,
    requestId: requestId ?? null,
  });
}

/** Describes a change by the caller of an org's route. */
export const changeBy = (
  { org, userId, keyId, proof, requestId }: OrgActor,
  action: string,
  subject: string,
  detail: Record<string, unknown> = {},
): AuditEntry => ({
  orgId: org.id,
  actor: proof.by === "machine" ? "machine" : keyId === undefined ? `user:${userId}` : `key:${keyId}`,
  action,
  subject,
  detail,
  ...(requestId === undefined ? {} : { requestId }),
});
