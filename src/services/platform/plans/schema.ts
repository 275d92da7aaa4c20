import type { PlanSpec } from "../../../contracts/platform/billing/plans.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Plans, which are never changed, and the plans assigned to tenants over time. A limit of null means no limit; 0 means blocked. */
export const planTables = ({
  table,
  id,
  text,
  integer,
  instant,
  money,
  json,
  index,
  primaryKey,
}: Columns) => ({
  plans: table("plans", {
    id: id("id").primaryKey(),
    name: text("name").notNull(),
    /** Vertical that the plan is for; null for a base plan of tenants. */
    argoCode: text("argo_code"),
    maxConcurrency: integer("max_concurrency"),
    /** Limit per UTC minute. */
    maxRpm: integer("max_rpm"),
    creditCapPeriodMicros: money("credit_cap_period_micros"),
    maxTokensPerCall: integer("max_tokens_per_call"),
    maxRunTokens: integer("max_run_tokens"),
    maxIterations: integer("max_iterations"),
    maxActiveAgents: integer("max_active_agents"),
    minFeeMicros: money("min_fee_micros").notNull(),
    activationPriceMicros: money("activation_price_micros").notNull(),
    includedCreditsMicros: money("included_credits_micros").notNull(),
    /** Per whole credit over the included ones. */
    extraCreditPriceMicros: money("extra_credit_price_micros").notNull(),
    spec: json<PlanSpec>("spec").notNull(),
    createdAt: instant("created_at").notNull(),
  }),
  /** Base plan of a tenant from `since` until its next row. */
  tenantPlans: table(
    "tenant_plans",
    {
      tenantId: id("tenant_id").notNull(),
      since: instant("since").notNull(),
      planId: id("plan_id").notNull(),
    },
    (row) => [primaryKey({ columns: [row.tenantId, row.since] }), index("tenant_plans_plan").on(row.planId)],
  ),
});

export type PlanTables = ReturnType<typeof planTables>;
export type PlanRow = PlanTables["plans"]["$inferSelect"];
