import { and, eq, inArray, sql } from "drizzle-orm";
import { type Admission, admitNew } from "../../../channels/inbox/admit-new.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import type { InboundRow } from "./event-row.ts";

export interface InboundBounds {
  /** Open events of all accounts. */
  openMax: number;
}

/** One account may fill three quarters of the queue, so that there is always room for the others. */
export const shareOf = (max: number): number => Math.ceil((max * 3) / 4);

const openStates = ["waiting", "working"] as const;

/** Stores the new events of one delivery in one transaction, those of each account in order, while there is room. */
export const keepEvents = (
  storage: GatewayStorage,
  rows: readonly InboundRow[],
  bounds: InboundBounds,
): Promise<Admission> => storage.transact((tx) => keepEventsIn(tx, storage.tables, rows, bounds));

/** Does the same within the caller's transaction. Ring the bell after the commit. */
export async function keepEventsIn(
  tx: Query,
  tables: GatewayTables,
  rows: readonly InboundRow[],
  { openMax }: InboundBounds,
): Promise<Admission> {
  const { inbound } = tables;
  const known = new Set<string>();
  const added = new Set<string>();
  for (const [accountId, ofAccount] of Map.groupBy(rows, (row) => row.accountId)) {
    const admission = await admitNew(ofAccount, {
      keyOf: ({ dedupeKey }) => dedupeKey,
      async findKnown(keys) {
        const found = await tx
          .select({ dedupeKey: inbound.dedupeKey })
          .from(inbound)
          .where(and(eq(inbound.accountId, accountId), inArray(inbound.dedupeKey, [...keys])));
        return found.map(({ dedupeKey }) => dedupeKey);
      },
      async countRoom() {
        const all = await countOpen(tx, tables);
        const own = await countOpen(tx, tables, accountId);
        return Math.min(openMax - all, shareOf(openMax) - own);
      },
      async add(some) {
        const ids = await tx
          .insert(inbound)
          .values([...some])
          .onConflictDoNothing()
          .returning({ id: inbound.id });
        return ids.map(({ id }) => id);
      },
    });
    for (const key of admission.known) known.add(`${accountId}:${key}`);
    for (const id of admission.added) added.add(id);
  }
  return { known, added };
}

async function countOpen(tx: Query, { inbound }: GatewayTables, accountId?: string): Promise<number> {
  const [row] = await tx
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(inbound)
    .where(
      and(
        accountId === undefined ? undefined : eq(inbound.accountId, accountId),
        inArray(inbound.state, [...openStates]),
      ),
    );
  return row?.count ?? 0;
}
