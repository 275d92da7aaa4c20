import { type Static, Type } from "@sinclair/typebox";
import { OneLine } from "../shown-name.ts";
import { Day, Instant, Month } from "./fields.ts";
import { Plan } from "./plans.ts";

export const SubscriptionInput = Type.Object(
  {
    tenant_id: Type.String({ maxLength: 64 }),
    argo_code: Type.String({ pattern: "^[a-z0-9_-]{1,63}$" }),
    plan_id: Type.String({ maxLength: 63 }),
    desde: Day,
  },
  { additionalProperties: false },
);
export type SubscriptionInput = Static<typeof SubscriptionInput>;

/** A subscription's usage in a period. */
export const PeriodCounters = Type.Object({
  period: Month,
  credits_charged_micros: Type.Integer(),
  credits_held_micros: Type.Integer(),
  units: Type.Record(Type.String(), Type.Integer()),
});

export const Subscription = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  tenant_name: Type.String(),
  argo_code: Type.String(),
  plan_id: Type.String({ description: "Plan in force at the end of the period." }),
  next_plan_id: Type.Union([Type.String(), Type.Null()], { description: "Plan from the next period on." }),
  desde: Type.String(),
  status: Type.Union([Type.Literal("active"), Type.Literal("cancelled")]),
  last_day: Type.Union([Type.String(), Type.Null()], {
    description: "Last active day, if its end is set. It may be in the future.",
  }),
  created_at: Type.String(),
  cancelled_at: Type.Union([Type.String(), Type.Null()], {
    description: "Instant from which it is cancelled. It may be in the future.",
  }),
  counters: PeriodCounters,
});
export type Subscription = Static<typeof Subscription>;

export const SubscriptionList = Type.Object({
  subscriptions: Type.Array(Subscription),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor of the next page. Absent on the last page." }),
  ),
});
export type SubscriptionList = Static<typeof SubscriptionList>;

/** What a new subscription would be billed for months before the current one. */
export const SubscriptionPreview = Type.Object({
  months: Type.Array(
    Type.Object({
      period: Month,
      charges: Type.Array(Type.Object({ description: Type.String(), amount_micros: Type.Integer() })),
      total_micros: Type.Integer(),
    }),
    { description: "Past months, oldest first. Empty if the first day is in the current month or later." },
  ),
  total_micros: Type.Integer(),
});
export type SubscriptionPreview = Static<typeof SubscriptionPreview>;

/** When a change takes effect: at once, or at the end of the current period. */
const ChangeInstant = (fallback: "now" | "period_end") =>
  Type.Union([Type.Literal("now"), Type.Literal("period_end")], {
    default: fallback,
    description: "When it takes effect: at once, or at the end of the UTC month.",
  });
export type ChangeInstant = "now" | "period_end";

export const SubscriptionPlanInput = Type.Object(
  { plan_id: Type.String({ maxLength: 63 }), at: Type.Optional(ChangeInstant("period_end")) },
  { additionalProperties: false },
);

export const SubscriptionCancelInput = Type.Object(
  { at: Type.Optional(ChangeInstant("now")) },
  { additionalProperties: false },
);

/** A tenant's active subscription of a vertical, with its plan. */
export const TenantSubscription = Type.Composite([Subscription, Type.Object({ plan: Plan })]);
export type TenantSubscription = Static<typeof TenantSubscription>;

export const UsageEventInput = Type.Object(
  {
    event_id: OneLine(
      255,
      "ID of the event, unique within the subscription. A repeated event is counted once.",
    ),
    subscription_id: Type.String({ maxLength: 64 }),
    unidad: OneLine(127),
    cantidad: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    ocurrido_en: Instant,
  },
  { additionalProperties: false },
);
export type UsageEventInput = Static<typeof UsageEventInput>;

export const UsageEvent = Type.Object({
  event_id: Type.String(),
  subscription_id: Type.String(),
  unidad: Type.String(),
  cantidad: Type.Integer(),
  ocurrido_en: Type.String(),
  period: Month,
  received_at: Type.String(),
  conflict: Type.Optional(
    Type.Literal(true, {
      description:
        "True if the event was already stored with a different quantity. The stored quantity applies.",
    }),
  ),
  voided: Type.Optional(
    Type.Literal(true, {
      description: "True if an operator voided the event. It doesn't count; report it with another id.",
    }),
  ),
});
export type UsageEvent = Static<typeof UsageEvent>;
