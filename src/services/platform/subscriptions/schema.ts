import { gt, isNull, or, sql } from "drizzle-orm";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Subscriptions of tenants and their used units. Days are UTC dates, `YYYY-MM-DD`. */
export const subscriptionTables = ({
  table,
  id,
  text,
  integer,
  instant,
  index,
  unique,
  primaryKey,
}: Columns) => ({
  subscriptions: table(
    "subscriptions",
    {
      tenantId: id("tenant_id").notNull(),
      id: id("id").notNull(),
      argoCode: text("argo_code").notNull(),
      /** First active day. */
      desde: text("desde").notNull(),
      /** Last active day; null if no end is set. */
      lastDay: text("last_day"),
      createdAt: instant("created_at").notNull(),
      /** Instant from which the subscription is cancelled. It is in the future for one that ends with its period. */
      cancelledAt: instant("cancelled_at"),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.id] }),
      unique("subscriptions_id").on(row.id),
      unique("subscriptions_active").on(row.tenantId, row.argoCode).where(sql`${row.cancelledAt} is null`),
    ],
  ),
  /** Plan of a subscription until its next row. */
  subscriptionPlans: table(
    "subscription_plans",
    {
      tenantId: id("tenant_id").notNull(),
      subscriptionId: id("subscription_id").notNull(),
      /** ISO 8601 instant. Older rows have a month, `YYYY-MM`, which sorts before all of its instants. */
      since: text("from_month").notNull(),
      planId: id("plan_id").notNull(),
    },
    (row) => [primaryKey({ columns: [row.tenantId, row.subscriptionId, row.since] })],
  ),
  usageEvents: table(
    "usage_events",
    {
      tenantId: id("tenant_id").notNull(),
      subscriptionId: id("subscription_id").notNull(),
      eventId: text("event_id").notNull(),
      unidad: text("unidad").notNull(),
      cantidad: integer("cantidad").notNull(),
      ocurridoEn: instant("ocurrido_en").notNull(),
      /** `YYYY-MM` of `ocurridoEn`. */
      month: text("month").notNull(),
      receivedAt: instant("received_at").notNull(),
    },
    (event) => [
      primaryKey({ columns: [event.tenantId, event.subscriptionId, event.eventId] }),
      index("usage_events_month").on(event.tenantId, event.subscriptionId, event.month),
    ],
  ),
  /** Sums of usage events, updated with each event. */
  usageCounters: table(
    "usage_counters",
    {
      tenantId: id("tenant_id").notNull(),
      subscriptionId: id("subscription_id").notNull(),
      month: text("month").notNull(),
      unidad: text("unidad").notNull(),
      cantidad: integer("cantidad").notNull(),
    },
    (row) => [primaryKey({ columns: [row.tenantId, row.subscriptionId, row.month, row.unidad] })],
  ),
});

export type SubscriptionTables = ReturnType<typeof subscriptionTables>;
export type SubscriptionRow = SubscriptionTables["subscriptions"]["$inferSelect"];

/** True once a cancellation has taken effect; one at the end of a period takes effect then. */
export const isCancelled = ({ cancelledAt }: Pick<SubscriptionRow, "cancelledAt">, now: Date): boolean =>
  cancelledAt !== null && cancelledAt <= now;

/** SQL for the opposite of `isCancelled`. */
export const activeAt = ({ subscriptions: { cancelledAt } }: SubscriptionTables, now: Date) =>
  or(isNull(cancelledAt), gt(cancelledAt, now));
