import { and, asc, desc, eq, gt } from "drizzle-orm";
import type { ReactionRating } from "../../../channels/inbound/reaction-rating.ts";
import type { ThreadMessage, VisitorThreadMessage } from "../../../contracts/gateway/webchat.ts";
import { threadMessagesMax } from "../../../contracts/gateway/webchat-limits.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";

export type ThreadRow = GatewayTables["webchatThreads"]["$inferSelect"];
export type ThreadMessageRow = GatewayTables["webchatMessages"]["$inferSelect"];

/** Names one visitor of one account. */
export interface ThreadKey {
  tenantId: string;
  accountId: string;
  visitor: string;
}

/** A message as its thread shows it. */
export interface ShownMessage extends ThreadMessageRow {
  /** The platform's id of the run that wrote it; null for a message of the visitor, a person or a program. */
  invocationId: string | null;
  /** The visitor's rating. */
  rating: ReactionRating | null;
}

/** A message of a thread without its time, which the thread decides. */
export type NewThreadMessage = Pick<ThreadMessageRow, "id" | "side" | "text" | "media" | "ref">;

/**
 * Returns a visitor's thread, which begins if there is none, and keeps its row locked until the transaction ends. Messages of one thread
 * are therefore stored one after the other, also in transactions that are only "read committed". Call it first in a transaction.
 */
export async function lockThread(
  tx: Query,
  { webchatThreads }: GatewayTables,
  key: ThreadKey,
  { now, newId }: { now: Date; newId: NewId },
): Promise<ThreadRow> {
  const { tenantId, accountId, visitor } = key;
  const lock = () =>
    tx
      .update(webchatThreads)
      .set({ visitor })
      .where(
        and(
          eq(webchatThreads.tenantId, tenantId),
          eq(webchatThreads.accountId, accountId),
          eq(webchatThreads.visitor, visitor),
        ),
      )
      .returning();
  const [known] = await lock();
  if (known !== undefined) return known;
  // A millisecond before its first message.
  const lastAt = new Date(now.getTime() - 1);
  await tx
    .insert(webchatThreads)
    .values({ id: newId(), ...key, lastAt })
    .onConflictDoNothing()
    .returning({ id: webchatThreads.id });
  const [row] = await lock();
  if (row === undefined) throw new Error("The thread belongs to another tenant.");
  return row;
}

/**
 * Adds a message to a locked thread. Its time is `now`, or a millisecond after the newest message if that is later: times are strictly
 * increasing in the order of the commits.
 */
export async function appendMessage(
  tx: Query,
  { webchatThreads, webchatMessages }: GatewayTables,
  { id: threadId, tenantId, lastAt }: ThreadRow,
  message: NewThreadMessage,
  now: Date,
): Promise<ThreadMessageRow> {
  const at = lastAt < now ? now : new Date(lastAt.getTime() + 1);
  const row = { ...message, tenantId, threadId, at };
  await tx.insert(webchatMessages).values(row);
  await tx
    .update(webchatThreads)
    .set({ lastAt: at })
    .where(and(eq(webchatThreads.tenantId, tenantId), eq(webchatThreads.id, threadId)))
    .returning({ id: webchatThreads.id });
  return row;
}

/** Returns one message of a thread by the name that its visitor gave it. */
export async function findByRef(
  query: ReadQuery,
  { webchatMessages }: GatewayTables,
  { tenantId, id: threadId }: Pick<ThreadRow, "tenantId" | "id">,
  ref: string,
): Promise<ThreadMessageRow | undefined> {
  const [row] = await query
    .select()
    .from(webchatMessages)
    .where(
      and(
        eq(webchatMessages.tenantId, tenantId),
        eq(webchatMessages.threadId, threadId),
        eq(webchatMessages.ref, ref),
      ),
    );
  return row;
}

/** Returns true if a thread of the tenant has this message. */
export async function hasMessage(
  query: ReadQuery,
  { webchatMessages }: GatewayTables,
  tenantId: string,
  id: string,
): Promise<boolean> {
  const rows = await query
    .select({ id: webchatMessages.id })
    .from(webchatMessages)
    .where(and(eq(webchatMessages.tenantId, tenantId), eq(webchatMessages.id, id)));
  return rows.length > 0;
}

/** Returns at most 200 messages after `since`, oldest first; without `since` the newest ones. */
export async function readThread(
  { read, tables }: Pick<GatewayStorage, "read" | "tables">,
  key: ThreadKey,
  since: Date | undefined,
): Promise<ShownMessage[]> {
  const { webchatMessages } = tables;
  const rows = await shownMessages(read, tables, key)
    .where(and(ofThread(tables, key), since === undefined ? undefined : gt(webchatMessages.at, since)))
    .orderBy(since === undefined ? desc(webchatMessages.at) : asc(webchatMessages.at))
    .limit(threadMessagesMax);
  const messages = rows.map(shown);
  return since === undefined ? messages.reverse() : messages;
}

/** Returns one message of a visitor's thread. */
export async function findShown(
  query: ReadQuery,
  tables: GatewayTables,
  key: ThreadKey,
  id: string,
): Promise<ShownMessage | undefined> {
  const [row] = await shownMessages(query, tables, key).where(
    and(ofThread(tables, key), eq(tables.webchatMessages.id, id)),
  );
  return row && shown(row);
}

const ofThread = ({ webchatThreads }: GatewayTables, { tenantId, accountId, visitor }: ThreadKey) =>
  and(
    eq(webchatThreads.tenantId, tenantId),
    eq(webchatThreads.accountId, accountId),
    eq(webchatThreads.visitor, visitor),
  );

/** Messages with the run that wrote each, and the visitor's rating. An answer has the id of its message in the outbox. */
const shownMessages = (query: ReadQuery, tables: GatewayTables, { tenantId, visitor }: ThreadKey) => {
  const { webchatThreads, webchatMessages, outbox, reactions } = tables;
  return query
    .select({ message: webchatMessages, invocationId: outbox.invocationId, rating: reactions.rating })
    .from(webchatThreads)
    .innerJoin(webchatMessages, eq(webchatMessages.threadId, webchatThreads.id))
    .leftJoin(outbox, and(eq(outbox.id, webchatMessages.id), eq(outbox.tenantId, tenantId)))
    .leftJoin(
      reactions,
      and(
        eq(reactions.tenantId, tenantId),
        eq(reactions.messageId, webchatMessages.id),
        eq(reactions.channelMessageId, webchatMessages.id),
        eq(reactions.address, visitor),
      ),
    );
};

type ShownRow = Pick<ShownMessage, "invocationId" | "rating"> & { message: ThreadMessageRow };

const shown = ({ message, invocationId, rating }: ShownRow): ShownMessage => ({
  ...message,
  invocationId,
  rating,
});

export const presentMessage = ({ id, side, text, media, at }: ThreadMessageRow): ThreadMessage => ({
  id,
  lado: side,
  texto: text,
  media,
  at: at.toISOString(),
});

/** For the visitor: with the name that the visitor's own program gave the message, and the visitor's rating. */
export const presentToVisitor = (
  row: ThreadMessageRow & Partial<Pick<ShownMessage, "invocationId" | "rating">>,
): VisitorThreadMessage => ({
  ...presentMessage(row),
  ...(row.ref !== null && { ref: row.ref }),
  ...(typeof row.invocationId === "string" && { es_calificable: true as const }),
  ...(row.rating && { calificacion: row.rating }),
});
