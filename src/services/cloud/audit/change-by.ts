import type { AuditEntry } from "../../../control-plane/audit/write-audit.ts";
import type { OrgActor } from "../access/credentials.ts";

/** Describes a change by the caller of an org's route. */
export const changeBy = (
  { org, userId, keyId, proof, requestId }: OrgActor,
  action: string,
  subject: string,
  detail: Record<string, unknown> = {},
): AuditEntry => ({
  ownerId: org.id,
  actor: proof.by === "machine" ? "machine" : keyId === undefined ? `user:${userId}` : `key:${keyId}`,
  action,
  subject,
  detail,
  ...(requestId === undefined ? {} : { requestId }),
});
