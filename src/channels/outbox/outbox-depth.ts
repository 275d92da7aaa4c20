import { isNotNull, sql } from "drizzle-orm";
import type { OutboxStorage } from "./schema.ts";

/** How full the outbox is. */
export interface OutboxDepth {
  pending: number;
  sending: number;
  /** Age of the oldest open message; 0 if there is none. */
  oldestMs: number;
  /** Accounts that their provider paused. */
  pausedAccounts: number;
}

/** Reads how full the outbox is, over all tenants. */
export async function readOutboxDepth(
  { read, tables: { outbox, accounts } }: OutboxStorage,
  now: Date,
): Promise<OutboxDepth> {
  const rows = await read
    .select({
      status: outbox.status,
      count: sql<number>`count(*)`.mapWith(Number),
      oldest: sql<Date>`min(${outbox.createdAt})`.mapWith(outbox.createdAt),
    })
    .from(outbox)
    .where(sql`${outbox.lane} is not null`)
    .groupBy(outbox.status);
  const of = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
  const ages = rows.map(({ oldest }) => now.getTime() - oldest.getTime());
  const [paused] = await read
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(accounts)
    .where(isNotNull(accounts.pausedReason));
  return {
    pausedAccounts: paused?.count ?? 0,
    pending: of("pending"),
    sending: of("sending"),
    oldestMs: Math.max(0, ...ages),
  };
}
