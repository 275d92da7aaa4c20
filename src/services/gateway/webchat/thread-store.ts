import { and, asc, desc, eq, gt } from "drizzle-orm";
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
): Promise<ThreadMessageRow[]> {
  const { webchatMessages, webchatThreads } = tables;
  const rows = await read
    .select({ message: webchatMessages })
    .from(webchatThreads)
    .innerJoin(webchatMessages, eq(webchatMessages.threadId, webchatThreads.id))
    .where(
      and(
        eq(webchatThreads.tenantId, key.tenantId),
        eq(webchatThreads.accountId, key.accountId),
        eq(webchatThreads.visitor, key.visitor),
        since === undefined ? undefined : gt(webchatMessages.at, since),
      ),
    )
    .orderBy(since === undefined ? desc(webchatMessages.at) : asc(webchatMessages.at))
    .limit(threadMessagesMax);
  const messages = rows.map(({ message }) => message);
  return since === undefined ? messages.reverse() : messages;
}

export const presentMessage = ({ id, side, text, media, at }: ThreadMessageRow): ThreadMessage => ({
  id,
  lado: side,
  texto: text,
  media,
  at: at.toISOString(),
});

/** For the visitor: with the name that the visitor's own program gave the message. */
export const presentToVisitor = (row: ThreadMessageRow): VisitorThreadMessage => ({
  ...presentMessage(row),
  ...(row.ref !== null && { ref: row.ref }),
});
