import type { Columns } from "../../../storage/tables/columns.ts";

/** Credits granted to tenants, and their use. All amounts are in micros. */
export const grantTables = ({ table, id, text, instant, money, index, primaryKey }: Columns) => ({
  /** Never changed. */
  grants: table(
    "grants",
    {
      tenantId: id("tenant_id").notNull(),
      id: id("id").notNull(),
      creditsMicros: money("credits_micros").notNull(),
      reason: text("reason").notNull(),
      /** Null: never. */
      expiresAt: instant("expires_at"),
      /** In USD; null for a free grant. */
      priceMicros: money("price_micros"),
      /** `YYYY-MM` of its creation, in which the price is charged. */
      month: text("month").notNull(),
      createdBy: text("created_by").notNull(),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.id] }),
      index("grants_month").on(row.tenantId, row.month),
    ],
  ),
  /** One row for each tenant with grants. Whoever uses grants locks it first. */
  grantAccounts: table("grant_accounts", {
    tenantId: id("tenant_id").primaryKey(),
    /** Credits of grants that runs in progress hold. */
    heldMicros: money("held_micros").notNull(),
  }),
  /** Credits that the runs of a month used of a grant. */
  grantUses: table(
    "grant_uses",
    {
      tenantId: id("tenant_id").notNull(),
      grantId: id("grant_id").notNull(),
      month: text("month").notNull(),
      usedMicros: money("used_micros").notNull(),
    },
    (row) => [primaryKey({ columns: [row.tenantId, row.grantId, row.month] })],
  ),
  /** Credits that runs were charged under a plan in a month, for tenants with grants. */
  planCredits: table(
    "plan_credits",
    {
      tenantId: id("tenant_id").notNull(),
      month: text("month").notNull(),
      /** Id of a subscription, or `base`. */
      scope: id("scope").notNull(),
      planId: id("plan_id").notNull(),
      chargedMicros: money("charged_micros").notNull(),
      /** Part of `chargedMicros` that grants paid. */
      grantedMicros: money("granted_micros").notNull(),
      /** Part of `chargedMicros` over the included credits that was used before the latest grant; no grant pays it. */
      extraMicros: money("extra_micros").notNull(),
    },
    (row) => [primaryKey({ columns: [row.tenantId, row.month, row.scope, row.planId] })],
  ),
});

export type GrantTables = ReturnType<typeof grantTables>;
export type GrantRow = GrantTables["grants"]["$inferSelect"];
