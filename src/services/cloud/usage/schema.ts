import type { Columns } from "../../../storage/tables/columns.ts";

/** Counts of runs by UTC day. They remain when an agent is deleted. */
export const usageTables = ({ table, id, text, integer, money, primaryKey }: Columns) => ({
  /** Runs of an org in a day: the counter of its daily limit. */
  dailyCounters: table(
    "daily_counters",
    {
      orgId: id("org_id").notNull(),
      day: text("day").notNull(),
      requests: integer("requests").notNull(),
    },
    (counter) => [primaryKey({ columns: [counter.orgId, counter.day] })],
  ),
  /** The same by agent, with the tokens of the runs. */
  agentUsage: table(
    "agent_usage",
    {
      orgId: id("org_id").notNull(),
      day: text("day").notNull(),
      agent: id("agent").notNull(),
      requests: integer("requests").notNull(),
      tokens: integer("tokens").notNull(),
    },
    (usage) => [primaryKey({ columns: [usage.orgId, usage.day, usage.agent] })],
  ),
  /** What the runs cost at the org's providers, by caller and model. Unlike in `agent_usage`, tests are included. */
  usageCosts: table(
    "usage_costs",
    {
      orgId: id("org_id").notNull(),
      day: text("day").notNull(),
      agent: id("agent").notNull(),
      /** A `UsageCaller`. */
      caller: id("caller").notNull(),
      provider: id("provider").notNull(),
      model: id("model").notNull(),
      /** Runs. One with several models counts at the first of them. */
      requests: integer("requests").notNull(),
      /** Runs that used the model. */
      uses: integer("uses").notNull(),
      tokens: integer("tokens").notNull(),
      /** Sum of the known costs, in micros of USD. */
      costMicros: money("cost_micros").notNull(),
      /** Tokens whose cost is unknown. */
      unpricedTokens: integer("unpriced_tokens").notNull(),
    },
    (cost) => [
      primaryKey({
        columns: [cost.orgId, cost.day, cost.agent, cost.caller, cost.provider, cost.model],
      }),
    ],
  ),
});
