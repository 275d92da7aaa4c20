import type { Columns } from "../../../storage/tables/columns.ts";

/** Counts of runs by UTC day. They remain when an agent is deleted. */
export const usageTables = ({ table, id, text, integer, primaryKey }: Columns) => ({
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
});
