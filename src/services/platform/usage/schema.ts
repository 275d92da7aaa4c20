import type { Columns } from "../../../storage/tables/columns.ts";
import type { TallyRule } from "../../../storage/tables/tallied-rows.ts";

/**
 * Sums over invocations by month and by UTC day of the admission: what usage, metrics and operators' lists read. Triggers keep them. `part` is
 * the process of PostgreSQL that added up; 0: SQLite.
 */
export const usageTables = ({ table, id, text, integer, money, instant, index, primaryKey }: Columns) => ({
  invocationSums: table(
    "invocation_sums",
    {
      tenantId: id("tenant_id").notNull(),
      month: text("month").notNull(),
      agentId: id("agent_id").notNull(),
      status: text("status").notNull(),
      part: integer("part").notNull().default(0),
      rows: money("rows").notNull(),
      invocations: money("invocations").notNull(),
      tokensIn: money("tokens_in").notNull(),
      tokensOut: money("tokens_out").notNull(),
      chargedMicros: money("charged_micros").notNull(),
      overrunMicros: money("overrun_micros").notNull(),
      providerCostMicros: money("provider_cost_micros").notNull(),
      unknownCosts: money("unknown_costs").notNull(),
      infraCostMicros: money("infra_cost_micros").notNull(),
      holdMaxMicros: money("hold_max_micros").notNull(),
      lastAt: instant("last_at").notNull(),
    },
    (sum) => [
      primaryKey({ columns: [sum.tenantId, sum.month, sum.agentId, sum.status, sum.part] }),
      index("invocation_sums_agent").on(sum.tenantId, sum.agentId),
      index("invocation_sums_month").on(sum.month, sum.tenantId),
    ],
  ),
  invocationModelSums: table(
    "invocation_model_sums",
    {
      tenantId: id("tenant_id").notNull(),
      month: text("month").notNull(),
      agentId: id("agent_id").notNull(),
      /** As the run names it. */
      provider: id("provider").notNull(),
      model: id("model").notNull(),
      role: text("role").notNull(),
      part: integer("part").notNull().default(0),
      uses: money("uses").notNull(),
      tokensIn: money("tokens_in").notNull(),
      tokensOut: money("tokens_out").notNull(),
      tokensCached: money("tokens_cached").notNull(),
    },
    (sum) => [
      primaryKey({
        columns: [sum.tenantId, sum.month, sum.agentId, sum.provider, sum.model, sum.role, sum.part],
      }),
      index("invocation_model_sums_agent").on(sum.tenantId, sum.agentId),
      index("invocation_model_sums_month").on(sum.month, sum.tenantId),
    ],
  ),
  invocationDays: table(
    "invocation_days",
    {
      tenantId: id("tenant_id").notNull(),
      month: text("month").notNull(),
      /** Days since 1970. */
      day: integer("day").notNull(),
      agentId: id("agent_id").notNull(),
      part: integer("part").notNull().default(0),
      rows: money("rows").notNull(),
      invocations: money("invocations").notNull(),
      tokensIn: money("tokens_in").notNull(),
      tokensOut: money("tokens_out").notNull(),
      chargedMicros: money("charged_micros").notNull(),
    },
    (sum) => [primaryKey({ columns: [sum.tenantId, sum.month, sum.day, sum.agentId, sum.part] })],
  ),
  invocationModelDays: table(
    "invocation_model_days",
    {
      tenantId: id("tenant_id").notNull(),
      month: text("month").notNull(),
      day: integer("day").notNull(),
      provider: id("provider").notNull(),
      model: id("model").notNull(),
      part: integer("part").notNull().default(0),
      uses: money("uses").notNull(),
      tokensIn: money("tokens_in").notNull(),
      tokensOut: money("tokens_out").notNull(),
    },
    (sum) => [primaryKey({ columns: [sum.tenantId, sum.month, sum.day, sum.provider, sum.model, sum.part] })],
  ),
});

export type UsageTables = ReturnType<typeof usageTables>;

const month = { tenant_id: "tenant_id", month: "month" } as const;
const agent = { agent_id: "agent_id" } as const;
const day = { day: { dayOf: "admitted_at" } } as const;
const model = { provider: { field: "provider" }, model: { field: "model" } } as const;
const counted = {
  rows: "rows",
  invocations: { column: "count" },
  tokens_in: { column: "tokens_in" },
  tokens_out: { column: "tokens_out" },
  charged_micros: { column: "charged_micros" },
} as const;
const used = {
  uses: "rows",
  tokens_in: { field: "tokens_in" },
  tokens_out: { field: "tokens_out" },
} as const;

export const invocationTallies: readonly TallyRule[] = [
  {
    into: "invocation_sums",
    by: { ...month, ...agent, status: "status" },
    sums: {
      ...counted,
      overrun_micros: { column: "overrun_micros" },
      provider_cost_micros: { column: "provider_cost_micros" },
      unknown_costs: { flag: "cost_unknown" },
      infra_cost_micros: { column: "infra_cost_micros" },
    },
    most: { hold_max_micros: "held_micros", last_at: "admitted_at" },
  },
  {
    into: "invocation_model_sums",
    by: { ...month, ...agent, ...model, role: { field: "role" } },
    sums: { ...used, tokens_cached: { field: "tokens_cached" } },
    each: "by_model",
  },
  { into: "invocation_days", by: { ...month, ...day, ...agent }, sums: counted },
  { into: "invocation_model_days", by: { ...month, ...day, ...model }, sums: used, each: "by_model" },
];
