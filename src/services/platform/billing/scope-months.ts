import { monthOf } from "../../../kit/utc-calendar.ts";
import { baseScope } from "../subscriptions/period-lock.ts";

/** First and last month of one base plan or subscription, inclusive. */
export interface ScopeMonths {
  tenantId: string;
  scope: string;
  first: string;
  last: string;
}

interface Owner {
  id: string;
  createdAt: Date;
  deletedAt: Date | null;
}

interface Subscribed {
  tenantId: string;
  id: string;
  desde: string;
  lastDay: string | null;
}

/** Months in which tenants' base plans and subscriptions are billed, until `current`. */
export function scopeMonths(
  owners: readonly Owner[],
  subscribed: readonly Subscribed[],
  current: string,
): ScopeMonths[] {
  return [
    ...owners.map(({ id, createdAt, deletedAt }) => ({
      tenantId: id,
      scope: baseScope,
      first: monthOf(createdAt),
      last: deletedAt === null ? current : monthOf(deletedAt),
    })),
    ...subscribed
      // A subscription cancelled before its first day has no months.
      .filter(({ desde, lastDay }) => lastDay === null || lastDay >= desde)
      .map(({ tenantId, id, desde, lastDay }) => ({
        tenantId,
        scope: id,
        first: desde.slice(0, 7),
        last: lastDay?.slice(0, 7) ?? current,
      })),
  ];
}
