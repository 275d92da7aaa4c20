import type { RunSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { UsageRecord } from "../../../engine/spending/usage-record.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Tables for usage and cost of model calls, and for agents' budgets and spending. */
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
  /** Totals of model calls by hour; the row with instant 0 has the total of all time. */
  usageTallies: table(
    "usage_tallies",
    {
      tenant: id("tenant").notNull(),
      /** First instant of the hour in UTC; 1970-01-01 for all calls. */
      startsAt: instant("starts_at").notNull(),
      agent: id("agent").notNull(),
      provider: text("provider").notNull(),
      model: text("model").notNull(),
      source: text("source").$type<RunSource>().notNull().default("production"),
      costMicros: money("cost_micros").notNull(),
      inputTokens: integer("input_tokens").notNull(),
      outputTokens: integer("output_tokens").notNull(),
      calls: integer("calls").notNull(),
      unpricedCalls: integer("unpriced_calls").notNull(),
      estimatedCalls: integer("estimated_calls").notNull(),
      latencyMs: real("latency_ms").notNull(),
    },
    (tally) => [
      primaryKey({
        columns: [tally.tenant, tally.startsAt, tally.agent, tally.provider, tally.model, tally.source],
      }),
    ],
  ),
  /** Latest model calls, one row each. */
  usageRecords: table(
    "usage_records",
    {
      id: id("id").primaryKey(),
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      at: instant("at").notNull(),
      source: text("source").$type<RunSource>().notNull().default("production"),
      record: json<Omit<UsageRecord, "at" | "source">>("record").notNull(),
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
      /** Calls of models without a price; `spentMicros` does not include them. */
      unpricedCalls: integer("unpriced_calls").notNull(),
    },
    (budget) => [primaryKey({ columns: [budget.tenant, budget.agent] })],
  ),
  /** Money that each process holds for calls in progress. Written before the call, so a crash can't hide it. */
  budgetHolds: table(
    "budget_holds",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      /** Id of the process. */
      owner: id("owner").notNull(),
      heldMicros: money("held_micros").notNull(),
      /** Last time that process renewed its holds. */
      seenAt: instant("seen_at").notNull(),
    },
    (hold) => [
      primaryKey({ columns: [hold.tenant, hold.agent, hold.owner] }),
      index("budget_holds_age").on(hold.seenAt),
    ],
  ),
});

export type CostTables = ReturnType<typeof costTables>;
