import { type Static, Type } from "@sinclair/typebox";
import { csvText } from "../../csv-text.ts";
import { Month } from "./fields.ts";

/** Months that a report on revenue has at most. */
export const revenueMonthsMax = 36;

export const RevenueMonth = Type.Object({
  period: Month,
  provisional: Type.Boolean({ description: "True for the current month, which counts charges until today." }),
  revenue_micros: Type.Integer({ description: "Charges of all tenants, in micros of USD." }),
  tenants: Type.Integer({ description: "Tenants with charges above 0." }),
  new_tenants: Type.Integer({ description: "Of these, tenants without charges in the month before." }),
  lost_tenants: Type.Integer({ description: "Tenants with charges in the month before and none in this." }),
  lost_revenue_micros: Type.Integer({ description: "What the lost tenants paid in the month before." }),
  churn: Type.Union([Type.Number(), Type.Null()], {
    description: "Lost tenants as a share of those of the month before, 0 to 1. Null if it had none.",
  }),
  subscriptions_started: Type.Integer(),
  subscriptions_ended: Type.Integer({ description: "Subscriptions whose last day is in the month." }),
});
export type RevenueMonth = Static<typeof RevenueMonth>;

export const RevenueReport = Type.Object({
  months: Type.Array(RevenueMonth, { description: "Oldest first." }),
});
export type RevenueReport = Static<typeof RevenueReport>;

/** Writes the months as CSV, with amounts in US dollars. */
export const revenueCsv = ({ months }: RevenueReport): string =>
  csvText(
    [
      "period",
      "provisional",
      "revenue_usd",
      "tenants",
      "new_tenants",
      "lost_tenants",
      "lost_revenue_usd",
      "churn",
      "subscriptions_started",
      "subscriptions_ended",
    ],
    months.map((month) => [
      month.period,
      month.provisional ? "yes" : "no",
      month.revenue_micros / 1_000_000,
      month.tenants,
      month.new_tenants,
      month.lost_tenants,
      month.lost_revenue_micros / 1_000_000,
      month.churn,
      month.subscriptions_started,
      month.subscriptions_ended,
    ]),
  );
