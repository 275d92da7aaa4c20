import { type Static, Type } from "@sinclair/typebox";
import { Month } from "./fields.ts";
import { Reason } from "./grants.ts";
import { microsMax } from "./micros.ts";

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const nextCursor = Type.Optional(
  Type.String({ description: "Cursor of the next page. Absent on the last page." }),
);

export const AdjustmentInput = Type.Object({
  amount_micros: Type.Integer({
    minimum: -microsMax,
    maximum: microsMax,
    description: "Amount in micros of USD: negative for a refund, not 0.",
  }),
  reason: Reason("Reason. The tenant sees it on its statement."),
  reference: Type.Optional(
    orNull(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "Reference, such as a ticket or an invoice.",
      }),
    ),
  ),
  period: Type.Optional({
    ...Month,
    description: "Open month that is charged, `YYYY-MM`. Default: the current month.",
  }),
});
export type AdjustmentInput = Static<typeof AdjustmentInput>;

/** A charge `ajuste` of a month. Never changed. */
export const Adjustment = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  period: Month,
  amount_micros: Type.Integer(),
  reason: Type.String(),
  reference: orNull(Type.String()),
  created_by: Type.String(),
  created_at: Type.String(),
});
export type Adjustment = Static<typeof Adjustment>;

export const AdjustmentList = Type.Object({
  adjustments: Type.Array(Adjustment),
  next_cursor: nextCursor,
});
export type AdjustmentList = Static<typeof AdjustmentList>;

export const VoidedEventInput = Type.Object({
  event_id: Type.String({ minLength: 1, maxLength: 255 }),
  reason: Reason("Reason, for the audit."),
});
export type VoidedEventInput = Static<typeof VoidedEventInput>;

/** A usage event as operators see it. */
export const ListedUsageEvent = Type.Object({
  event_id: Type.String(),
  subscription_id: Type.String(),
  tenant_id: Type.String(),
  unidad: Type.String(),
  cantidad: Type.Integer(),
  ocurrido_en: Type.String(),
  period: Month,
  received_at: Type.String(),
  voided: orNull(Type.Object({ at: Type.String(), by: Type.String(), reason: Type.String() })),
});
export type ListedUsageEvent = Static<typeof ListedUsageEvent>;

export const UsageEventList = Type.Object({
  events: Type.Array(ListedUsageEvent),
  next_cursor: nextCursor,
});
export type UsageEventList = Static<typeof UsageEventList>;
