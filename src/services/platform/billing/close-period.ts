import { and, eq, sql } from "drizzle-orm";
import { usdText } from "../../../contracts/amounts.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { NewId } from "../../../kit/id.ts";
import { endOfMonth } from "../../../kit/utc-calendar.ts";
import type { Query, Storage } from "../../../storage/storage.ts";
import { tenantScope } from "../counters/credit-counters.ts";
import { giveNotice } from "../notices/give-notice.ts";
import { baseScope, lockPeriod, type PeriodKey } from "../subscriptions/period-lock.ts";
import type { PlatformTables } from "../tables.ts";
import { periodCharges } from "./period-charges.ts";
import { periodFacts } from "./period-facts.ts";

/** Delay between the end of a period and its closing, for usage that arrives late. */
export const closingDelayMs = 48 * 3_600_000;

/**
 * Closes a period with its charges in one transaction. Returns false if it was closed before. Throws `runs_in_progress` while a run of the
 * month holds credits, because its cost belongs to the period.
 */
export function closePeriod(
  storage: Storage<PlatformTables>,
  key: PeriodKey,
  { now, newId }: { now: Date; newId: NewId },
): Promise<boolean> {
  const { tables } = storage;
  const { billingPeriods, charges } = tables;
  return storage.transact(
    async (tx) => {
      const period = await lockPeriod(tx, tables, key, { now, newId });
      if (period.status !== "open") return false;
      await requireNoRuns(tx, tables, key);
      const until = new Date(endOfMonth(key.month).getTime() - 1);
      const bill = periodCharges(await periodFacts(tx, tables, key, until));
      const subscriptionId = key.scope === baseScope ? null : key.scope;
      const own = { tenantId: key.tenantId, periodId: period.id, subscriptionId, createdAt: now };
      const lines = bill.charges.map((line, index) => ({ ...line, ...own, line: index + 1 }));
      if (lines.length > 0) await tx.insert(charges).values(lines);
      await giveNotice(
        tx,
        tables,
        {
          tenantId: key.tenantId,
          event: "period.closed",
          occasion: `${key.month} ${key.scope}`,
          text: `The period ${key.month} is closed with ${usdText(bill.totalMicros)}.`,
          data: { period: key.month, subscription_id: subscriptionId, amount_micros: bill.totalMicros },
        },
        now,
      );
      await tx
        .update(billingPeriods)
        .set({ status: "closed", closedAt: now })
        .where(and(eq(billingPeriods.tenantId, key.tenantId), eq(billingPeriods.id, period.id)));
      return true;
    },
    { isolation: "read committed" },
  );
}

/** Locks the counter that every run of the tenant's month settles first, so no run ends while the bill is computed. */
async function requireNoRuns(
  tx: Query,
  { creditCounters }: PlatformTables,
  { tenantId, month }: PeriodKey,
): Promise<void> {
  const [counter] = await tx
    .update(creditCounters)
    .set({ heldMicros: sql`${creditCounters.heldMicros}` })
    .where(
      and(
        eq(creditCounters.tenantId, tenantId),
        eq(creditCounters.scope, tenantScope),
        eq(creditCounters.month, month),
      ),
    )
    .returning({ heldMicros: creditCounters.heldMicros });
  if (counter === undefined || counter.heldMicros === 0) return;
  throw new AppError("conflict", "runs_in_progress", `A run of ${month} has not ended yet.`);
}
