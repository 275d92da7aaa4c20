import { asc, eq, inArray, min, sql } from "drizzle-orm";
import { openStates } from "../../../channels/inbox/inbound-depth.ts";
import type { Clock } from "../../../kit/clock.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import { measuredSums, messageSums } from "./tally-rows.ts";

/*
 * Messages and measures are added up in the background, so that a report reads sums and only the last minute's rows, and no message waits
 * for a row that many others change.
 */

/** Longer than a transaction takes. What is stored within it is counted one by one. */
const settledMs = 60_000;
/** Time whose rows are added up in one transaction. */
const pieceMs = 60 * 60_000;

/** Adds up what is settled. One process at a time calls it. */
export async function tally(
  { storage, clock }: { storage: GatewayStorage; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const settled = new Date(clock.now().getTime() - settledMs);
    const more = await storage.transact((tx) => tallyPiece(tx, storage.tables, settled), {
      isolation: "read committed",
    });
    if (!more) return;
    await othersTurn();
  }
}

const mark = "all";

/** Up to when everything is in the tallies. Undefined: nothing is. */
export async function talliedUntil(query: ReadQuery, tables: GatewayTables): Promise<Date | undefined> {
  const [known] = await query.select().from(tables.talliedUntil).where(eq(tables.talliedUntil.id, mark));
  return known?.until;
}

/** Returns true if there is more to add up. */
async function tallyPiece(tx: Query, tables: GatewayTables, settled: Date): Promise<boolean> {
  const known = await talliedUntil(tx, tables);
  const first = await nextRow(tx, tables, known);
  if (first === undefined) return false;
  // A delivery that waits for its processing becomes a message with the time of its arrival.
  const [open] = await tx
    .select({ at: min(tables.inbound.receivedAt) })
    .from(tables.inbound)
    .where(inArray(tables.inbound.state, [...openStates]));
  const end = Math.min(settled.getTime(), (open?.at ?? settled).getTime() - 1);
  // Hours without rows are skipped.
  const since = new Date(Math.max(known?.getTime() ?? 0, first.getTime() - 1));
  if (since.getTime() >= end) return false;
  const until = new Date(Math.min(end, since.getTime() + pieceMs));
  const { tallies } = tables;
  const add = { count: sql`${tallies.count} + excluded.count`, sum: sql`${tallies.sum} + excluded.sum` };
  const { tenantId, tally: what, person, agent, channel, quarter } = tallies;
  const target = [tenantId, what, person, agent, channel, quarter];
  const range = { since, until };
  for (const sums of [messageSums(tx, tables, range), measuredSums(tx, tables, range)])
    await tx
      .insert(tallies)
      .select(sums.getSQL())
      .onConflictDoUpdate({ target, set: add })
      .returning({ quarter });
  await tx
    .insert(tables.talliedUntil)
    .values({ id: mark, until })
    .onConflictDoUpdate({ target: [tables.talliedUntil.id], set: { until } })
    .returning({ id: tables.talliedUntil.id });
  return until.getTime() < end;
}

/** Time of the first row that is not in the tallies. */
async function nextRow(
  tx: Query,
  { conversationMessages, measured }: GatewayTables,
  known: Date | undefined,
): Promise<Date | undefined> {
  const after = known ?? new Date(0);
  const [message] = await tx
    .select({ at: conversationMessages.at })
    .from(conversationMessages)
    .where(sql`${conversationMessages.at} > ${sql.param(after, conversationMessages.at)}`)
    .orderBy(asc(conversationMessages.at))
    .limit(1);
  const [measure] = await tx
    .select({ at: measured.at })
    .from(measured)
    .where(sql`${measured.at} > ${sql.param(after, measured.at)}`)
    .orderBy(asc(measured.at))
    .limit(1);
  const times = [message, measure].flatMap((row) => (row === undefined ? [] : [row.at.getTime()]));
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}
