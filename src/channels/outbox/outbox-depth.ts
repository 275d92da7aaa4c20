import { and, eq, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import type { ReadQuery } from "../../storage/storage.ts";
import type { OutboxStorage, OutboxTables } from "./schema.ts";

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

/** Counts the messages that are not sent yet. */
export async function countWaiting(query: ReadQuery, { outbox }: OutboxTables): Promise<number> {
  const [row] = await query
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(outbox)
    .where(sql`${outbox.lane} is not null`);
  return row?.count ?? 0;
}

/** True if a message is being sent, or may be sent now. */
export async function hasDueMessages(
  { read, tables: { outbox, accounts } }: OutboxStorage,
  now: Date,
): Promise<boolean> {
  const works = and(
    isNull(accounts.pausedReason),
    or(isNull(accounts.quietUntil), lte(accounts.quietUntil, now)),
  );
  const isDue = and(eq(outbox.isReady, true), lte(outbox.dueAt, now), works);
  const [row] = await read
    .select({ id: outbox.id })
    .from(outbox)
    .innerJoin(accounts, eq(accounts.id, outbox.accountId))
    .where(and(sql`${outbox.lane} is not null`, or(eq(outbox.status, "sending"), isDue)))
    .limit(1);
  return row !== undefined;
}
