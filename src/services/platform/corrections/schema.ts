import type { Columns } from "../../../storage/tables/columns.ts";

/** Corrections of open bills. Never changed. */
export const correctionTables = ({ table, id, text, instant, money, index, primaryKey }: Columns) => ({
  adjustments: table(
    "adjustments",
    {
      tenantId: id("tenant_id").notNull(),
      id: id("id").notNull(),
      /** `YYYY-MM` of the base plan's period that has the charge. */
      month: text("month").notNull(),
      /** In USD; negative for a refund. */
      amountMicros: money("amount_micros").notNull(),
      reason: text("reason").notNull(),
      reference: text("reference"),
      createdBy: text("created_by").notNull(),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.id] }),
      index("adjustments_month").on(row.tenantId, row.month),
    ],
  ),
  /** Usage events that no longer count. */
  voidedEvents: table(
    "voided_events",
    {
      tenantId: id("tenant_id").notNull(),
      subscriptionId: id("subscription_id").notNull(),
      eventId: text("event_id").notNull(),
      reason: text("reason").notNull(),
      createdBy: text("created_by").notNull(),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [primaryKey({ columns: [row.tenantId, row.subscriptionId, row.eventId] })],
  ),
});
