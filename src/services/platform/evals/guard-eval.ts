import { isDeepStrictEqual } from "node:util";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import type { WatchEval } from "../../../evals/hosted/eval-store.ts";
import { gatesOfTenant } from "../agents/standing-gate.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { requireRight } from "../auth/tenant-role.ts";
import type { EvalDeps } from "./deps.ts";

/**
 * Keeps an eval that a release gate requires from those whom the gate binds: only owners, admins and keys change or delete it, which is
 * audited. Throws 403 `role_required`.
 */
export const guardEval =
  (
    { storage, clock, newId }: Pick<EvalDeps, "storage" | "clock" | "newId">,
    { tenantId, author, role }: TenantActor,
  ): WatchEval =>
  async (tx, { name, before, after }) => {
    const gates = (await gatesOfTenant(tx, storage.tables, tenantId)).get(name);
    if (gates === undefined || isDeepStrictEqual(before?.document, after?.document)) return;
    if (role !== undefined) requireRight(role, "gates");
    const action = after === undefined ? "eval.delete" : "eval.put";
    const detail = { required_by: gates, content: after?.content ?? null, before: before?.content ?? null };
    await writeAudit({ storage, newId }, tx, clock.now(), {
      actor: author,
      action,
      ownerId: tenantId,
      subject: name,
      detail,
    });
  };
