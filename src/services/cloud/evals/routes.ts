import {
  CloudEvalOrder,
  CloudEvalRun,
  CloudEvalRunDetail,
  CloudEvalRunList,
} from "../../../contracts/cloud/evals.ts";
import { evalRoutes, evalSpecRoutes } from "../../../control-plane/evals/eval-routes.ts";
import { evalRunRoutes } from "../../../control-plane/evals/eval-run-routes.ts";
import type { EvalService } from "../../../control-plane/evals/eval-service.ts";
import { presentHostedRun } from "../../../evals/hosted/read-runs.ts";
import type { BriefRun } from "../../../evals/hosted/tables.ts";
import { limitChanges } from "../access/change-limit.ts";
import { orgSecurity, requireOrgCaller } from "../access/credentials.ts";
import { gatesOfOrg } from "../agents/kept-gates.ts";
import { limitOrgStorage } from "../room/org-room.ts";
import { type CloudEvalDeps, hosted, ownerOf } from "./deps.ts";
import { guardEval } from "./guard-eval.ts";
import { startEvalRun } from "./start-eval-run.ts";

/** Routes for an org's evals and their runs. */
export const orgEvalRoutes = (deps: CloudEvalDeps) => {
  const service = serviceOf(deps);
  return [evalSpecRoutes(service), evalRoutes(service), evalRunRoutes(service)];
};

const serviceOf = (deps: CloudEvalDeps): EvalService<typeof CloudEvalOrder> => ({
  prefix: "/api/v1/orgs/:slug",
  deps: { ...hosted(deps), evalWork: deps.evalWork },
  async callerOf(context) {
    const { request } = context;
    const actor = await requireOrgCaller(deps, context);
    limitChanges(deps)({ actor, request });
    await limitOrgStorage(deps)({ actor, request });
    return {
      owner: ownerOf(actor),
      watch: guardEval(deps, actor),
      gates: () => gatesOfOrg(deps.storage.read, deps.storage.tables, actor.org.id),
      order: (name, order) => startEvalRun(deps, actor, name, order),
    };
  },
  facts: { security: orgSecurity },
  schemas: {
    order: CloudEvalOrder,
    run: CloudEvalRun,
    detail: CloudEvalRunDetail,
    list: CloudEvalRunList,
  },
  present: presentEvalRun,
  texts: {
    deleteEval: "Its runs stay. Agents that require it can't be deployed without it.",
    startEvalRun:
      "Asks an agent each case, in the background. The cases are runs of the org: they count towards its daily limit and use its provider keys.",
    cancelEvalRun: "Cases under way are stopped. Results so far stay.",
  },
});

const presentEvalRun = (row: BriefRun): CloudEvalRun => ({
  ...presentHostedRun(row),
  tokens_used: row.spent,
  budget_tokens: row.budget,
});
