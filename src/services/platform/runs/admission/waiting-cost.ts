import { and, eq, ne, sql } from "drizzle-orm";
import { statement } from "../../../../storage/statement.ts";
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
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, month, subscriptionId, except = "" }: Waiting,
): Promise<number> {
  const [row] =
    subscriptionId === undefined
      ? await costOfTenant(query, tables).execute({ tenantId, month, except })
      : await costOfSubscription(query, tables).execute({ tenantId, month, except, subscriptionId });
  return row?.cost ?? 0;
}

const costOf = ({ invocations }: PlatformTables) =>
  sql`coalesce(sum(${invocations.unchargedCostMicros}), 0)`.mapWith(Number);

const isWaiting = ({ invocations }: PlatformTables) =>
  and(
    eq(invocations.tenantId, sql.placeholder("tenantId")),
    eq(invocations.month, sql.placeholder("month")),
    // A literal, because the partial index can't be used with a bound value.
    sql`${invocations.status} = 'awaiting_approval'`,
    ne(invocations.id, sql.placeholder("except")),
  );

const costOfTenant = statement((query: ReadQuery, tables: PlatformTables) =>
  query
    .select({ cost: costOf(tables) })
    .from(tables.invocations)
    .where(isWaiting(tables))
    .prepare("platform_waiting_cost_of_tenant"),
);

const costOfSubscription = statement((query: ReadQuery, tables: PlatformTables) =>
  query
    .select({ cost: costOf(tables) })
    .from(tables.invocations)
    .where(and(isWaiting(tables), eq(tables.invocations.subscriptionId, sql.placeholder("subscriptionId"))))
    .prepare("platform_waiting_cost_of_subscription"),
);
