import { and, eq, inArray, sql } from "drizzle-orm";
import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { batches } from "../../../kit/batches.ts";
import { countSteps, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayStoreDeps, GatewayTables } from "../tables.ts";
import { appendTrail, type TrailEntry } from "./append-trail.ts";

/** A delivered event with its state. */
export type DeliveredRow = GatewayTables["inbound"]["$inferSelect"];

/** Rows of one delivery's messages. */
export interface DeliveredMessages {
  /** Messages that were delivered before. */
  repeated: readonly DeliveredRow[];
  /** Messages that start nothing, because they are too old. */
  closed: readonly DeliveredRow[];
}

/** Messages that one statement looks up: a statement has a bound of parameters, and a delivery may repeat 70,000 messages. */
const rowsTogether = 200;
/** Reading a row takes up to 50 µs. */
const stepsOfRow = 2500;

/** Repetitions of one message that the ledger has. A provider may repeat a message for days. */
const repetitionsMax = 20;

/**
 * Notes which messages of a delivery are repeated, and which start nothing. The other ones are in the ledger by their rows. Returns the
 * stored row of each repeated message.
 */
export async function noteDelivered(
  { storage, clock, newId }: GatewayStoreDeps,
  { repeated, closed }: DeliveredMessages,
): Promise<DeliveredRow[]> {
  if (repeated.length === 0 && closed.length === 0) return [];
  const { tables } = storage;
  const note = async (tx: Query) => {
    const now = clock.now();
    const kept = await keptMessages(tx, tables, repeated);
    const noted = await countRepetitions(tx, tables, [...new Set(kept.map(({ id }) => id))]);
    const entries = kept.flatMap((row) => {
      const count = (noted.get(row.id) ?? 0) + 1;
      noted.set(row.id, count);
      return count > repetitionsMax
        ? []
        : [{ ...entryOf(row, now), event: "duplicate", relatedId: row.id } as const];
    });
    const stale = closed.map((row) => closedEntry(row, row.outcome ?? "", now));
    await appendTrail(tx, tables, newId, [...entries, ...stale]);
    return kept;
  };
  return storage.transact(note, { isolation: "read committed" });
}

/** Returns the rows that were stored for messages which came again, one for each repetition. */
async function keptMessages(
  tx: Query,
  { inbound }: GatewayTables,
  repeated: readonly DeliveredRow[],
): Promise<DeliveredRow[]> {
  const kept = new Map<string, DeliveredRow>();
  for (const [accountId, rows] of Map.groupBy(repeated, (row) => row.accountId)) {
    for (const keys of batches([...new Set(rows.map(({ dedupeKey }) => dedupeKey))], rowsTogether)) {
      const found = await tx
        .select()
        .from(inbound)
        .where(and(eq(inbound.accountId, accountId), inArray(inbound.dedupeKey, keys)));
      for (const row of found) kept.set(`${accountId}:${row.dedupeKey}`, row);
      if (countSteps(keys.length * stepsOfRow)) await othersTurn();
    }
  }
  return repeated.flatMap(({ accountId, dedupeKey }) => kept.get(`${accountId}:${dedupeKey}`) ?? []);
}

async function countRepetitions(
  tx: Query,
  { trail }: GatewayTables,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const some of batches(ids, rowsTogether)) {
    const rows = await tx
      .select({ id: trail.messageId, count: sql<number>`count(*)`.mapWith(Number) })
      .from(trail)
      .where(and(inArray(trail.messageId, some), eq(trail.event, "duplicate")))
      .groupBy(trail.messageId);
    for (const { id, count } of rows) counts.set(id, count);
    if (countSteps(some.length * stepsOfRow)) await othersTurn();
  }
  return counts;
}

/** Run that answered a message, or failed. */
export interface NotedRun {
  agent: string;
  /** `ok`, or the platform's error code. */
  status: string;
  invocationId?: string | undefined;
}

/** End of a message's processing. */
export interface NotedEnd {
  outcome: string;
  run?: NotedRun | undefined;
  /** Messages of the outbox that answer it. */
  replies?: readonly { id: string }[];
  /** Agent that wrote the answer, or `fallback`. */
  by?: string;
  /** Message of the outbox that brings it to a callback. */
  forwardId?: string;
}

/** Notes the end of a message's processing, within the transaction that closes it. Other events have no entries. */
export async function noteEnd(
  tx: Query,
  tables: GatewayTables,
  newId: NewId,
  row: DeliveredRow,
  { outcome, run, replies = [], by, forwardId }: NotedEnd,
  now: Date,
): Promise<void> {
  if (row.kind !== "message") return;
  const entry = entryOf(row, now);
  const entries: TrailEntry[] = [];
  if (run !== undefined) {
    const { agent, status, invocationId } = run;
    const details = { agent, status, ...(invocationId !== undefined && { invocation: invocationId }) };
    entries.push({ ...entry, event: "run", details });
  }
  if (forwardId !== undefined) entries.push({ ...entry, event: "forwarded", relatedId: forwardId });
  for (const { id } of replies) {
    entries.push({ ...entry, event: "answered", relatedId: id, details: by === undefined ? {} : { by } });
  }
  if (outcome === "parked") entries.push({ ...entry, event: "parked" });
  else entries.push(closedEntry(row, outcome, now));
  await appendTrail(tx, tables, newId, entries);
}

const closedEntry = (row: DeliveredRow, outcome: string, now: Date): TrailEntry => ({
  ...entryOf(row, now),
  event: "closed",
  details: { outcome },
});

/** Every entry has the user's address and the provider's id, because it outlives the row. */
function entryOf(row: DeliveredRow, at: Date): Omit<TrailEntry, "event"> {
  const { id: messageId, tenantId, accountId, channel, channelMessageId } = row;
  return {
    messageId,
    tenantId,
    accountId,
    channel,
    direction: "inbound",
    address: addressOf(row),
    channelMessageId: channelMessageId ?? undefined,
    at,
  };
}

/** Address of the user or group that a message is from. */
export const addressOf = ({ event }: Pick<DeliveredRow, "event">): string =>
  (event as unknown as MessageEvent).conversation.address.address;
