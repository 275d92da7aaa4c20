import { and, eq } from "drizzle-orm";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { SubscriptionRow } from "./schema.ts";

/** Returns a subscription of that tenant; undefined if it belongs to another tenant. */
export async function findSubscription(
  query: ReadQuery,
  { subscriptions }: PlatformTables,
  tenantId: string,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await query
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.tenantId, tenantId), eq(subscriptions.id, id)));
  return row;
}

/** Returns a subscription by its id only, for operators. */
export async function findAnySubscription(
  query: ReadQuery,
  { subscriptions }: PlatformTables,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await query.select().from(subscriptions).where(eq(subscriptions.id, id));
  return row;
}
