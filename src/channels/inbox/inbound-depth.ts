import { inArray, sql } from "drizzle-orm";
import { statement } from "../../storage/statement.ts";
import type { Query } from "../../storage/storage.ts";
import type { InboxStorage, InboxTables } from "./schema.ts";

/** How full the queue of delivered events is. */
export interface InboundDepth {
  waiting: number;
  working: number;
  /** Closed after too many failed tries. */
  parked: number;
  /** Age of the oldest open event; 0 if there is none. */
  oldestMs: number;
}

/** Reads how full the queue is, over all tenants. */
export async function readInboundDepth(
  { read, tables: { inbound } }: InboxStorage,
  now: Date,
): Promise<InboundDepth> {
  const rows = await read
    .select({
      state: inbound.state,
      count: sql<number>`count(*)`.mapWith(Number),
      oldest: sql<Date>`min(${inbound.receivedAt})`.mapWith(inbound.receivedAt),
    })
    .from(inbound)
    .where(inArray(inbound.state, ["waiting", "working", "parked"]))
    .groupBy(inbound.state);
  const of = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  const ages = rows
    .filter(({ state }) => state !== "parked")
    .map(({ oldest }) => now.getTime() - oldest.getTime());
  return {
    waiting: of("waiting"),
    working: of("working"),
    parked: of("parked"),
    oldestMs: Math.max(0, ...ages),
  };
}

/** Counts the open events of all tenants. */
export async function countOpen(tx: Query, tables: InboxTables): Promise<number> {
  const [row] = await openOfAll(tx, tables).execute();
  return row?.count ?? 0;
}

export const openStates = ["waiting", "working"] as const;

const openOfAll = statement((tx: Query, { inbound }: InboxTables) =>
  tx
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(inbound)
    .where(inArray(inbound.state, [...openStates]))
    .prepare("count_open_events"),
);
