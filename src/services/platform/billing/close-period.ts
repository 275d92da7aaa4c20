import { and, eq } from "drizzle-orm";
import type { NewId } from "../../../kit/id.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { periodCharges } from "./period-charges.ts";
import { periodFacts } from "./period-facts.ts";
import { baseScope, lockPeriod, type PeriodKey } from "./period-lock.ts";
import { endOfMonth } from "./utc-calendar.ts";

/** What may still come in after the end of a period: it is closed so long after it. */
export const closingDelayMs = 48 * 3_600_000;

/** Closes a period with its charges, in one transaction; false when it was closed before. */
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
      const until = new Date(endOfMonth(key.month).getTime() - 1);
      const bill = periodCharges(await periodFacts(tx, tables, key, until));
      const subscriptionId = key.scope === baseScope ? null : key.scope;
      for (const [index, line] of bill.charges.entries()) {
        await tx.insert(charges).values({
          ...line,
          tenantId: key.tenantId,
          periodId: period.id,
          line: index + 1,
          subscriptionId,
          createdAt: now,
        });
      }
      await tx
        .update(billingPeriods)
        .set({ status: "closed", closedAt: now })
        .where(and(eq(billingPeriods.tenantId, key.tenantId), eq(billingPeriods.id, period.id)));
      return true;
    },
    { isolation: "read committed" },
  );
}
