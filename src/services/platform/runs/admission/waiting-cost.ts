import { and, eq, ne, sql } from "drizzle-orm";
import type { ReadQuery } from "../../../../storage/storage.ts";
import type { PlatformTables } from "../../tables.ts";

/** Selects a tenant's paused runs. */
interface Waiting {
  tenantId: string;
  month: string;
  /** Only runs under this subscription. */
  subscriptionId?: string;
  /** The run being resumed, whose cost is held again. */
  except?: string;
}

/** Returns the cost so far of the runs that wait for a person, in micros. It counts towards `cancel_limit` until they resume. */
export async function waitingCostOf(
  query: Pick<ReadQuery, "select">,
  { invocations }: PlatformTables,
  { tenantId, month, subscriptionId, except }: Waiting,
): Promise<number> {
  const [row] = await query
    .select({ cost: sql`coalesce(sum(${invocations.unchargedCostMicros}), 0)`.mapWith(Number) })
    .from(invocations)
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.month, month),
        // A literal, because the partial index can't be used with a bound value.
        sql`${invocations.status} = 'awaiting_approval'`,
        subscriptionId === undefined ? undefined : eq(invocations.subscriptionId, subscriptionId),
        except === undefined ? undefined : ne(invocations.id, except),
      ),
    );
  return row?.cost ?? 0;
}
