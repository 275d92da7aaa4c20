import { desc } from "drizzle-orm";
import { Elysia } from "elysia";
import {
  Plan,
  PlanInput,
  PlanList,
  TenantPlan,
  TenantPlanInput,
} from "../../../contracts/platform/billing/plans.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { operatorCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import type { StoreDeps } from "../tables.ts";
import { createPlan, setTenantPlan } from "./plan-commands.ts";
import { presentPlan } from "./present-plan.ts";

const tags = ["plans"];

/** Operators' routes for plans and for tenants' base plans. */
export const planRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1/admin" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .post(
      "/plans",
      async ({ operator, body, call, set }) => {
        set.status = 201;
        return createPlan(deps, operator, body, call.requestId);
      },
      {
        ...jsonBody(PlanInput),
        response: { 201: Plan },
        detail: { tags, operationId: "createPlan", summary: "Creates a plan; plans are immutable" },
      },
    )
    .get("/plans", async () => listPlans(deps), {
      response: PlanList,
      detail: { tags, operationId: "listPlans", summary: "Lists plans, newest first" },
    })
    .put(
      "/tenants/:id/plan",
      async ({ operator, params, body, call }) =>
        setTenantPlan(deps, operator, {
          tenantId: params.id,
          planId: body.plan_id,
          requestId: call.requestId,
        }),
      {
        ...jsonBody(TenantPlanInput),
        response: TenantPlan,
        detail: { tags, operationId: "setTenantPlan", summary: "Changes a tenant's base plan immediately" },
      },
    );

async function listPlans({ storage: { read, tables } }: StoreDeps): Promise<PlanList> {
  const { plans } = tables;
  const rows = await read.select().from(plans).orderBy(desc(plans.createdAt), plans.id);
  return { plans: rows.map(presentPlan) };
}
