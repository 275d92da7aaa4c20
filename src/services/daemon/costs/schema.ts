import type { Columns } from "../../../storage/columns.ts";

/** What agents may spend and have spent against it. */
export const costTables = ({ table, id, integer, instant, money, index, primaryKey }: Columns) => ({
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
