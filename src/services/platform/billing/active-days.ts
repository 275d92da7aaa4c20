import { and, eq } from "drizzle-orm";
import { dayMs, dayOf, lastDayOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { SubscriptionRow } from "../subscriptions/schema.ts";
import type { PlatformTables } from "../tables.ts";

type Lifetime = Pick<SubscriptionRow, "id" | "desde" | "lastDay" | "createdAt">;

/**
 * Days of a month, through `today`, for which a subscription pays its fee. A day of a tenant and vertical is billed once: if several
 * subscriptions include it, to the one created first.
 */
export async function activeDays(
  query: ReadQuery,
  { subscriptions }: PlatformTables,
  subscription: SubscriptionRow,
  month: string,
  today: string,
): Promise<string[]> {
  const { id, desde, lastDay, createdAt } = subscriptions;
  const ofVertical = await query
    .select({ id, desde, lastDay, createdAt })
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.tenantId, subscription.tenantId),
        eq(subscriptions.argoCode, subscription.argoCode),
      ),
    );
  return daysPaid(subscription, ofVertical, month, today);
}

/** `ofVertical` may include the subscription itself and later ones. */
function daysPaid(
  subscription: Lifetime,
  ofVertical: readonly Lifetime[],
  month: string,
  today: string,
): string[] {
  const earlier = ofVertical.filter((each) => isEarlier(each, subscription));
  const end = lastDayOf(month);
  const days: string[] = [];
  for (let day = `${month}-01`; day <= end && day <= today; day = dayAfter(day)) {
    if (includes(subscription, day) && !earlier.some((each) => includes(each, day))) days.push(day);
  }
  return days;
}

/** A vertical has one active subscription at a time, so the ids decide only between two of the same millisecond. */
function isEarlier(one: Lifetime, other: Lifetime): boolean {
  const apartMs = one.createdAt.getTime() - other.createdAt.getTime();
  return apartMs === 0 ? one.id < other.id : apartMs < 0;
}

const includes = ({ desde, lastDay }: Lifetime, day: string) =>
  desde <= day && (lastDay === null || day <= lastDay);

const dayAfter = (day: string) => dayOf(new Date(Date.parse(day) + dayMs));
