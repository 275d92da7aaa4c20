import type { Columns } from "../../../storage/tables/columns.ts";

export type PeriodStatus = "open" | "closed" | "facturado";
export type ChargeType =
  | "cuota"
  | "activacion"
  | "excedente_unidad"
  | "creditos_extra"
  | "recarga"
  | "ajuste";

/** Billing: in each UTC month, one period for each subscription and one for the base plan. Charges are never changed. */
export const billingTables = ({
  table,
  id,
  text,
  integer,
  instant,
  money,
  index,
  unique,
  primaryKey,
}: Columns) => ({
  billingPeriods: table(
    "billing_periods",
    {
      tenantId: id("tenant_id").notNull(),
      id: id("id").notNull(),
      /** Id of a subscription, or `base`. */
      scope: id("scope").notNull(),
      /** `YYYY-MM`. */
      month: text("month").notNull(),
      status: text("status").$type<PeriodStatus>().notNull(),
      createdAt: instant("created_at").notNull(),
      closedAt: instant("closed_at"),
      facturadoAt: instant("facturado_at"),
    },
    (period) => [
      primaryKey({ columns: [period.tenantId, period.id] }),
      unique("billing_periods_id").on(period.id),
      unique("billing_periods_month").on(period.tenantId, period.scope, period.month),
      index("billing_periods_status").on(period.status, period.month),
    ],
  ),
  charges: table(
    "charges",
    {
      tenantId: id("tenant_id").notNull(),
      periodId: id("period_id").notNull(),
      /** Line number in the statement, starting at 1. */
      line: integer("line").notNull(),
      type: text("type").$type<ChargeType>().notNull(),
      description: text("description").notNull(),
      quantity: integer("quantity").notNull(),
      unitPriceMicros: money("unit_price_micros").notNull(),
      amountMicros: money("amount_micros").notNull(),
      subscriptionId: id("subscription_id"),
      createdAt: instant("created_at").notNull(),
    },
    (charge) => [primaryKey({ columns: [charge.tenantId, charge.periodId, charge.line] })],
  ),
});
