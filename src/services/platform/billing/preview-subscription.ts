import type {
  SubscriptionInput,
  SubscriptionPreview,
} from "../../../contracts/platform/billing/subscriptions.ts";
import { dayOf, endOfMonth, monthAfter, monthOf, startOfMonth } from "../../../kit/utc-calendar.ts";
import { requireSound, subscriptionRow } from "../subscriptions/create-subscription.ts";
import type { StoreDeps } from "../tables.ts";
import { activeDays } from "./active-days.ts";
import { exactSum, periodCharges } from "./period-charges.ts";
import { monthUnder } from "./subscription-month.ts";

/**
 * Returns what a new subscription would be billed for months before the current one. Stores nothing. Throws what `createSubscription` throws
 * for a first day.
 */
export async function previewSubscription(
  { storage: { read, tables }, clock, newId }: StoreDeps,
  input: SubscriptionInput,
): Promise<SubscriptionPreview> {
  const now = clock.now();
  const plan = await requireSound(read, tables, input, now);
  const row = subscriptionRow(input, newId(), now);
  const first = row.desde.slice(0, 7);
  const given = [{ since: startOfMonth(first), plan }];
  const months: SubscriptionPreview["months"] = [];
  for (let month = first; month < monthOf(now); month = monthAfter(month)) {
    const today = dayOf(new Date(endOfMonth(month).getTime() - 1));
    const days = await activeDays(read, tables, row, month, today);
    const { spans, activated } = monthUnder(given, row, { month, days, today });
    const { charges, totalMicros } = periodCharges({
      month,
      spans,
      activated,
      usage: [],
      credits: [],
      grants: [],
      adjustments: [],
    });
    months.push({
      period: month,
      charges: charges.map(({ description, amountMicros }) => ({ description, amount_micros: amountMicros })),
      total_micros: totalMicros,
    });
  }
  return { months, total_micros: exactSum(months.map(({ total_micros }) => total_micros)) };
}
