import { and, asc, eq, inArray, isNotNull, lt, sql } from "drizzle-orm";
import { batches } from "../../kit/batches.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Query, Storage } from "../../storage/storage.ts";
import type { InboundMessage } from "../delivery.ts";
import { type Admission, admitNew } from "./admit-new.ts";
import type { ChannelTables, MessageState } from "./old-schema.ts";

/** One account of one channel of a tenant. */
export interface ChannelKey {
  tenant: string;
  channel: string;
  account: string;
}

type Row = ChannelTables["channelMessages"]["$inferSelect"];

/** A message as stored until it is answered. */
export type StoredMessage = Omit<Row, keyof ChannelKey | "state" | "awaits"> & Partial<Pick<Row, "awaits">>;

/** Returns a delivered message as it is stored. */
export function newMessage(
  message: InboundMessage,
  { clock, newId }: { clock: Clock; newId: NewId },
): StoredMessage {
  const receivedAt = clock.now();
  return {
    messageId: message.messageId,
    id: newId(),
    sender: message.sender.address,
    senderKind: message.sender.kind,
    contactName: message.contactName ?? null,
    request: message.request,
    text: message.text,
    sentAt: message.sentAt ?? receivedAt,
    receivedAt,
  };
}

/** Fields of a message that the queue in memory keeps. */
export type QueuedMessage = Pick<StoredMessage, "id" | "sender" | "sentAt" | "receivedAt">;

type Messages = Storage<ChannelTables>;

/** Rows per statement; SQLite accepts 32,766 values in one. */
const rowsTogether = 500;

const open: readonly MessageState[] = ["waiting", "running", "replying"];

/** Stores new messages in order while fewer than `openMax` are open. */
export function keepMessages(
  { tables: { channelMessages }, transact }: Messages,
  key: ChannelKey,
  messages: readonly StoredMessage[],
  openMax: number,
): Promise<Admission> {
  return transact((tx) =>
    admitNew(messages, {
      keyOf: ({ messageId }) => messageId,
      async findKnown(ids) {
        const rows = await tx
          .select({ messageId: channelMessages.messageId })
          .from(channelMessages)
          .where(and(ofKey(channelMessages, key), inArray(channelMessages.messageId, [...ids])));
        return rows.map(({ messageId }) => messageId);
      },
      countRoom: async () => openMax - (await openCount(tx, channelMessages, key)),
      async add(some) {
        const rows = await tx
          .insert(channelMessages)
          .values(some.map((message) => ({ ...key, ...message, state: "waiting" as const })))
          .onConflictDoNothing()
          .returning({ id: channelMessages.id });
        return rows.map(({ id }) => id);
      },
    }),
  );
}

/** Moves a message from state `from` to `to`. Returns undefined if it is no longer in `from`; the caller must not act on it then. */
export async function moveMessage(
  { tables: { channelMessages }, transact }: Messages,
  key: ChannelKey,
  id: string,
  { from, to, awaits }: { from: MessageState; to: MessageState; awaits?: string | null },
): Promise<StoredMessage | undefined> {
  const [message] = await transact((tx) =>
    tx
      .update(channelMessages)
      .set({ state: to, ...(awaits === undefined ? {} : { awaits }) })
      .where(and(ofKey(channelMessages, key), eq(channelMessages.id, id), eq(channelMessages.state, from)))
      .returning(),
  );
  return message;
}

/** Closes messages: deletes their content and keeps their ids. */
export async function closeMessages(
  { tables: { channelMessages }, transact }: Messages,
  key: ChannelKey,
  ids: readonly string[],
): Promise<void> {
  await transact(async (tx) => {
    for (const some of batches(ids, rowsTogether)) {
      await tx
        .update(channelMessages)
        .set({ state: "done", text: "", contactName: null, awaits: null })
        .where(and(ofKey(channelMessages, key), inArray(channelMessages.id, some)));
    }
  });
}

/** Messages in a state, in order of arrival. */
export function messagesAt(
  { tables: { channelMessages }, read }: Messages,
  key: ChannelKey,
  state: MessageState,
  limit: number,
): Promise<QueuedMessage[]> {
  const { id, sender, sentAt, receivedAt } = channelMessages;
  return read
    .select({ id, sender, sentAt, receivedAt })
    .from(channelMessages)
    .where(and(ofKey(channelMessages, key), eq(channelMessages.state, state)))
    .orderBy(asc(id))
    .limit(limit);
}

/** Messages in state `from` whose runs wait, oldest first, with the ids they wait for. */
export async function awaitingMessages(
  { tables: { channelMessages }, read }: Messages,
  key: ChannelKey,
  from: MessageState,
  limit: number,
): Promise<(QueuedMessage & { awaits: string })[]> {
  const { id, sender, sentAt, receivedAt, awaits, state } = channelMessages;
  const rows = await read
    .select({ id, sender, sentAt, receivedAt, awaits })
    .from(channelMessages)
    .where(and(ofKey(channelMessages, key), eq(state, from), isNotNull(awaits)))
    .orderBy(asc(id))
    .limit(limit);
  return rows.flatMap((row) => (row.awaits === null ? [] : [{ ...row, awaits: row.awaits }]));
}

/** Returns the id that a `paused` message waits for. */
export async function awaitedBy(
  { tables: { channelMessages }, read }: Messages,
  key: ChannelKey,
  messageId: string,
): Promise<string | undefined> {
  const { id, awaits, state } = channelMessages;
  const [row] = await read
    .select({ awaits })
    .from(channelMessages)
    .where(and(ofKey(channelMessages, key), eq(id, messageId), eq(state, "paused")));
  return row?.awaits ?? undefined;
}

/** Number of messages that are open, without those whose runs wait. */
export const countOpen = ({ tables: { channelMessages }, read }: Messages, key: ChannelKey) =>
  openCount(read, channelMessages, key);

/** Deletes all messages of the channel received before `olderThan`, including those of former accounts. Returns their number. */
export async function pruneMessages(
  { tables: { channelMessages }, transact }: Messages,
  { tenant, channel }: Pick<ChannelKey, "tenant" | "channel">,
  olderThan: Date,
): Promise<number> {
  const removed = await transact((tx) =>
    tx
      .delete(channelMessages)
      .where(
        and(
          eq(channelMessages.tenant, tenant),
          eq(channelMessages.channel, channel),
          lt(channelMessages.receivedAt, olderThan),
        ),
      )
      .returning({ id: channelMessages.id }),
  );
  return removed.length;
}

type Table = ChannelTables["channelMessages"];

async function openCount(query: Pick<Query, "select">, table: Table, key: ChannelKey): Promise<number> {
  const [row] = await query
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(table)
    .where(and(ofKey(table, key), inArray(table.state, [...open])));
  return row?.count ?? 0;
}

const ofKey = (table: Table, { tenant, channel, account }: ChannelKey) =>
  and(eq(table.tenant, tenant), eq(table.channel, channel), eq(table.account, account));
