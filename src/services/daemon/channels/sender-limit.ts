import { inArray, sql } from "drizzle-orm";
import { storedEvent } from "../../../channels/inbox/event-row.ts";
import type { InboxRow } from "../../../channels/inbox/schema.ts";
import { batches } from "../../../kit/batches.ts";
import type { Query } from "../../../storage/storage.ts";
import { forgotten } from "./forget-event.ts";
import type { ChannelTables } from "./schema.ts";

export interface SenderLimitRule {
  messagesMax: number;
  windowMs: number;
}

/** Rows of one statement, which has a bound of parameters. */
const rowsTogether = 500;

/**
 * Counts new messages toward their senders' windows, within the transaction that stores them, so that the limit holds over all processes and
 * restarts. A window begins with a message. The first message beyond the limit gets a notice at once, in a lane of its own; further ones are
 * dropped. Returns the ids of both.
 */
export async function limitSenders(
  tx: Query,
  tables: ChannelTables,
  rows: readonly InboxRow[],
  { messagesMax, windowMs }: SenderLimitRule,
  now: Date,
): Promise<ReadonlySet<string>> {
  const bySender = Map.groupBy(rows, senderOf);
  const first: [sender: string, row: InboxRow][] = [];
  const dropped: string[] = [];
  for (const some of batches([...bySender], rowsTogether)) {
    const counted = await countMessages(tx, tables, some, now, windowMs);
    for (const [sender, messages] of some) {
      const before = (counted.get(sender) ?? 0) - messages.length;
      for (const [index, row] of messages.entries()) {
        const number = before + index + 1;
        if (number === messagesMax + 1) first.push([sender, row]);
        else if (number > messagesMax) dropped.push(row.id);
      }
    }
  }
  const { inbound } = tables;
  for (const [sender, { id, accountId }] of first) {
    const change = { plan: { notice: "too_many" as const }, lane: `${accountId}:limit:${sender}` };
    await tx
      .update(inbound)
      .set(change)
      .where(inArray(inbound.id, [id]));
  }
  for (const some of batches(dropped, rowsTogether)) {
    const closed = { state: "done", outcome: "limited", lane: null, closedAt: now, ...forgotten } as const;
    await tx.update(inbound).set(closed).where(inArray(inbound.id, some));
  }
  return new Set([...first.map(([, { id }]) => id), ...dropped]);
}

/** Returns each sender's messages in the window that is open now. */
async function countMessages(
  tx: Query,
  { channelSenders: senders }: ChannelTables,
  some: readonly (readonly [sender: string, rows: readonly InboxRow[]])[],
  now: Date,
  windowMs: number,
): Promise<Map<string, number>> {
  const at = (date: Date) => sql.param(date, senders.startedAt);
  // If the clock is set back, the window must not become longer.
  const isOver = sql`(${senders.startedAt} <= ${at(new Date(now.getTime() - windowMs))} or ${senders.startedAt} > ${at(now)})`;
  const counted = await tx
    .insert(senders)
    .values(
      some.map(([sender, rows]) => ({
        account: rows[0]?.accountId ?? "",
        sender,
        startedAt: now,
        messages: rows.length,
      })),
    )
    .onConflictDoUpdate({
      target: [senders.account, senders.sender],
      set: {
        messages: sql`case when ${isOver} then excluded.messages else ${senders.messages} + excluded.messages end`,
        startedAt: sql`case when ${isOver} then excluded.started_at else ${senders.startedAt} end`,
      },
    })
    .returning({ sender: senders.sender, messages: senders.messages });
  return new Map(counted.map(({ sender, messages }) => [sender, messages]));
}

function senderOf(row: InboxRow): string {
  const event = storedEvent(row);
  return event.type === "message" ? event.sender.address : "";
}
