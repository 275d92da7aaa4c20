import type { UsageRecord } from "../../../engine/spending/usage-record.ts";
import type { Columns } from "../../../storage/columns.ts";

/** What model calls have used and cost, what agents may spend and have spent against it. */
export const costTables = ({
  table,
  id,
  text,
  integer,
  instant,
  money,
  real,
  json,
  index,
  primaryKey,
}: Columns) => ({
  /** Model calls added up by hour, and of all time under the instant 0. */
  usageTallies: table(
    "usage_tallies",
    {
      tenant: id("tenant").notNull(),
      /** The first instant of the hour in UTC; 1970-01-01 for all calls. */
      startsAt: instant("starts_at").notNull(),
      agent: id("agent").notNull(),
      provider: text("provider").notNull(),
      model: text("model").notNull(),
      costMicros: money("cost_micros").notNull(),
      inputTokens: integer("input_tokens").notNull(),
      outputTokens: integer("output_tokens").notNull(),
      calls: integer("calls").notNull(),
      unpricedCalls: integer("unpriced_calls").notNull(),
      estimatedCalls: integer("estimated_calls").notNull(),
      latencyMs: real("latency_ms").notNull(),
    },
    (tally) => [
      primaryKey({ columns: [tally.tenant, tally.startsAt, tally.agent, tally.provider, tally.model] }),
    ],
  ),
  /** The latest model calls one by one. */
  usageRecords: table(
    "usage_records",
    {
      id: id("id").primaryKey(),
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      at: instant("at").notNull(),
      record: json<Omit<UsageRecord, "at">>("record").notNull(),
    },
    (record) => [index("usage_records_tenant").on(record.tenant, record.id)],
  ),
  budgets: table(
    "budgets",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      budgetMicros: money("budget_micros").notNull(),
      spentMicros: money("spent_micros").notNull(),
      /** Calls of models without a price, which the money doesn't count. */
      unpricedCalls: integer("unpriced_calls").notNull(),
    },
    (budget) => [primaryKey({ columns: [budget.tenant, budget.agent] })],
  ),
  /** What each process keeps back for calls that are under way: written before the call, so that a crash can't hide it. */
  budgetHolds: table(
    "budget_holds",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      /** The process. */
      owner: id("owner").notNull(),
      heldMicros: money("held_micros").notNull(),
      /** When that process was last heard of. */
      seenAt: instant("seen_at").notNull(),
    },
    (hold) => [
      primaryKey({ columns: [hold.tenant, hold.agent, hold.owner] }),
      index("budget_holds_age").on(hold.seenAt),
    ],
  ),
});

export type CostTables = ReturnType<typeof costTables>;
