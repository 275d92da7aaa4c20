import { and, eq, ne, sql } from "drizzle-orm";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** The paused runs of a tenant that are asked about. */
interface Waiting {
  tenantId: string;
  month: string;
  /** Only those of this subscription. */
  subscriptionId?: string;
  /** The run that goes on: what it cost is held again. */
  except?: string;
}

/** Cost so far of the runs that wait for a person, in micros: it counts towards `cancel_limit` until they go on. */
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
        // Written out: a bound value would keep the partial index from being used.
        sql`${invocations.status} = 'awaiting_approval'`,
        subscriptionId === undefined ? undefined : eq(invocations.subscriptionId, subscriptionId),
        except === undefined ? undefined : ne(invocations.id, except),
      ),
    );
  return row?.cost ?? 0;
}
