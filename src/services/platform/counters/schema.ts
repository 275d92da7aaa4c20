import type { Columns } from "../../../storage/tables/columns.ts";

/** Counters of credits and attempts. All money is in micros. */
export const counterTables = ({ table, id, text, integer, instant, money, index, primaryKey }: Columns) => ({
  /** Credits that a tenant, or one of its subscriptions, was charged and holds in a month. */
  creditCounters: table(
    "credit_counters",
    {
      tenantId: id("tenant_id").notNull(),
      /** `tenant`, or the id of a subscription. */
      scope: id("scope").notNull(),
      month: text("month").notNull(),
      chargedMicros: money("charged_micros").notNull(),
      heldMicros: money("held_micros").notNull(),
      /** Parts of both that grants pay. */
      grantedMicros: money("granted_micros").notNull().default(0),
      heldGrantMicros: money("held_grant_micros").notNull().default(0),
      /** Cost of the runs that the tenant ended without a charge. */
      cancelledCostMicros: money("cancelled_cost_micros").notNull(),
    },
    (counter) => [primaryKey({ columns: [counter.tenantId, counter.scope, counter.month] })],
  ),
  /** Attempts that reached the rate check, by UTC minute. */
  rateWindows: table(
    "rate_windows",
    {
      tenantId: id("tenant_id").notNull(),
      scope: id("scope").notNull(),
      minute: instant("minute").notNull(),
      attempts: integer("attempts").notNull(),
    },
    (window) => [
      primaryKey({ columns: [window.tenantId, window.scope, window.minute] }),
      index("rate_windows_age").on(window.minute),
    ],
  ),
});
