import { type Static, Type } from "@sinclair/typebox";
import { Month } from "./fields.ts";
import { StatementGrant } from "./grants.ts";

export const StatementCharge = Type.Object({
  type: Type.Union([
    Type.Literal("cuota"),
    Type.Literal("activacion"),
    Type.Literal("excedente_unidad"),
    Type.Literal("creditos_extra"),
    Type.Literal("recarga"),
    Type.Literal("ajuste"),
  ]),
  description: Type.String(),
  quantity: Type.Integer({
    description:
      "Quantity by type. `cuota`: active days; `activacion`: 1; `excedente_unidad`: units above those included; `creditos_extra`: credits above those included and granted, in micros; `recarga`, a grant with a price, and `ajuste`, an operator's adjustment: 1.",
  }),
  unit_price_micros: Type.Integer({
    description:
      "Price per unit, in micros of USD. `cuota`: fee of a whole month; `creditos_extra`: price per whole credit.",
  }),
  amount_micros: Type.Integer(),
  subscription_id: Type.Union([Type.String(), Type.Null()]),
});
export type StatementCharge = Static<typeof StatementCharge>;

/** Credits of a month under one plan. Its included credits apply to its own runs only. */
export const PlanCredits = Type.Object({
  plan_id: Type.String(),
  plan_name: Type.String(),
  subscription_id: Type.Union([Type.String(), Type.Null()], {
    description: "Subscription of the plan. Null: base plan.",
  }),
  used_micros: Type.Integer(),
  included_micros: Type.Integer(),
  granted_micros: Type.Integer({ description: "Credits that grants paid." }),
  extra_micros: Type.Integer(),
});
export type PlanCredits = Static<typeof PlanCredits>;

/** A tenant's statement for a month. It is `provisional` while the month or one of its periods is open. */
export const Statement = Type.Object({
  tenant_id: Type.String(),
  tenant_name: Type.String(),
  period: Month,
  currency: Type.Literal("USD", { description: "Currency of all prices and amounts." }),
  provisional: Type.Boolean(),
  charges: Type.Array(StatementCharge),
  credits: Type.Object({
    used_micros: Type.Integer(),
    included_micros: Type.Integer(),
    granted_micros: Type.Integer(),
    extra_micros: Type.Integer(),
    by_plan: Type.Array(PlanCredits),
    grants: Type.Array(StatementGrant, { description: "Grants of the period, in the order of their use." }),
  }),
  total_micros: Type.Integer(),
});
export type Statement = Static<typeof Statement>;

export const PeriodStatus = Type.Union([
  Type.Literal("open"),
  Type.Literal("closed"),
  Type.Literal("facturado"),
]);

export const BillingPeriod = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  tenant_name: Type.String(),
  subscription_id: Type.Union([Type.String(), Type.Null()], {
    description: "Subscription that the period belongs to. Null: base plan.",
  }),
  argo_code: Type.Union([Type.String(), Type.Null()], {
    description: "Vertical of the subscription. Null: base plan.",
  }),
  period: Month,
  status: PeriodStatus,
  amount_micros: Type.Union([Type.Integer(), Type.Null()], {
    description: "Sum of the charges, in micros of USD. Null while the period is open.",
  }),
  closed_at: Type.Union([Type.String(), Type.Null()]),
  facturado_at: Type.Union([Type.String(), Type.Null()]),
});
export type BillingPeriod = Static<typeof BillingPeriod>;

export const BillingPeriodList = Type.Object({
  periods: Type.Array(BillingPeriod),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor of the next page. Absent on the last page." }),
  ),
});
export type BillingPeriodList = Static<typeof BillingPeriodList>;

/** A period that should have been closed more than an hour ago. */
export const OverduePeriod = Type.Object({
  id: Type.Union([Type.String(), Type.Null()], {
    description: "ID of the period. Null if the period has no stored record yet.",
  }),
  tenant_id: Type.String(),
  tenant_name: Type.String(),
  subscription_id: Type.Union([Type.String(), Type.Null()], {
    description: "Subscription that the period belongs to. Null: base plan.",
  }),
  argo_code: Type.Union([Type.String(), Type.Null()], {
    description: "Vertical of the subscription. Null: base plan.",
  }),
  period: Month,
  status: Type.Literal("open"),
  due_at: Type.String({ description: "Due date of the closing, ISO 8601 UTC." }),
});
export type OverduePeriod = Static<typeof OverduePeriod>;

export const OverduePeriodList = Type.Object({
  periods: Type.Array(OverduePeriod),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor of the next page. Absent on the last page." }),
  ),
});
export type OverduePeriodList = Static<typeof OverduePeriodList>;
