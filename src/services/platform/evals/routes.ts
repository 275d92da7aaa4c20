import {
  PlatformEvalOrder,
  PlatformEvalRun,
  PlatformEvalRunDetail,
  PlatformEvalRunList,
} from "../../../contracts/platform/evals.ts";
import { evalRoutes, evalSpecRoutes } from "../../../control-plane/evals/eval-routes.ts";
import { evalRunRoutes } from "../../../control-plane/evals/eval-run-routes.ts";
import type { EvalService } from "../../../control-plane/evals/eval-service.ts";
import { presentHostedRun } from "../../../evals/hosted/read-runs.ts";
import type { BriefRun } from "../../../evals/hosted/tables.ts";
import { gatesOfTenant } from "../agents/standing-gate.ts";
import { requireTenantCaller, tenantFacts } from "../auth/credentials.ts";
import { limitTenantStorage } from "../room/tenant-room.ts";
import { limitTenantWrites } from "../tenants/management-limit.ts";
import { type EvalDeps, hosted, ownerOf } from "./deps.ts";
import { guardEval } from "./guard-eval.ts";
import type { TenantEvalSubject } from "./schema.ts";
import { startEvalRun } from "./start-eval-run.ts";

/** Routes for a tenant's evals and their runs. */
export const tenantEvalRoutes = (deps: EvalDeps) => {
  const service = serviceOf(deps);
  return [evalSpecRoutes(service), evalRoutes(service), evalRunRoutes(service)];
};

const serviceOf = (deps: EvalDeps): EvalService<typeof PlatformEvalOrder> => ({
  prefix: "/api/v1",
  deps: { ...hosted(deps), evalWork: deps.evalWork },
  async callerOf(context) {
    const { request } = context;
    const tenant = await requireTenantCaller(deps, context, "evals");
    await limitTenantWrites(deps)({ tenant, request });
    await limitTenantStorage(deps)({ tenant, request });
    return {
      owner: ownerOf(tenant),
      watch: guardEval(deps, tenant),
      gates: () => gatesOfTenant(deps.storage.read, deps.storage.tables, tenant.tenantId),
      order: (name, order) => startEvalRun(deps, tenant, name, order),
    };
  },
  facts: tenantFacts,
  schemas: {
    order: PlatformEvalOrder,
    run: PlatformEvalRun,
    detail: PlatformEvalRunDetail,
    list: PlatformEvalRunList,
  },
  present: presentEvalRun,
  texts: {
    deleteEval: "Its runs stay. Versions that require it can't be published without it.",
    startEvalRun:
      "Asks a version of an agent each case, in the background. The cases are runs of the tenant: they count towards its limits and are charged.",
    cancelEvalRun: "Cases under way are stopped without a charge. Results so far stay.",
  },
});

/** Runs of the platform's table have a tenant's agent as their subject. */
const presentEvalRun = (row: BriefRun): PlatformEvalRun => ({
  ...presentHostedRun(row),
  agent_version: (row.subject as TenantEvalSubject).version,
  credits_charged_micros: row.spent,
  budget_credits_micros: row.budget,
});
