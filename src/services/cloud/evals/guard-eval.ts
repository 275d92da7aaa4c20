import { isDeepStrictEqual } from "node:util";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import type { WatchEval } from "../../../evals/hosted/eval-store.ts";
import { type OrgActor, requireManager } from "../access/credentials.ts";
import { gatesOfOrg } from "../agents/kept-gates.ts";
import { changeBy } from "../audit/change-by.ts";
import type { CloudEvalDeps } from "./deps.ts";

/**
 * Keeps an eval that a release gate requires from those whom the gate binds: only owners and admins change or delete it, which is audited.
 * Throws 403 `forbidden` for members, and `jwt_required` for keys.
 */
export const guardEval =
  (deps: Pick<CloudEvalDeps, "storage" | "clock" | "newId">, actor: OrgActor): WatchEval =>
  async (tx, { name, before, after }) => {
    const gates = (await gatesOfOrg(tx, deps.storage.tables, actor.org.id)).get(name);
    if (gates === undefined || isDeepStrictEqual(before?.document, after?.document)) return;
    requireManager(actor);
    const action = after === undefined ? "eval.delete" : "eval.put";
    const detail = { required_by: gates, content: after?.content ?? null, before: before?.content ?? null };
    await writeAudit(deps, tx, deps.clock.now(), changeBy(actor, action, name, detail));
  };
