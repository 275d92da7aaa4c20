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

export async function findThread(
  query: ReadQuery,
  { webchatThreads }: GatewayTables,
  { tenantId, accountId, visitor }: ThreadKey,
): Promise<ThreadRow | undefined> {
  const [row] = await query
    .select()
    .from(webchatThreads)
    .where(
      and(
        eq(webchatThreads.tenantId, tenantId),
        eq(webchatThreads.accountId, accountId),
        eq(webchatThreads.visitor, visitor),
      ),
    );
  return row;
}

/** A message of a thread without its time, which the thread decides. */
export type NewThreadMessage = Pick<ThreadMessageRow, "id" | "side" | "text" | "media" | "ref">;

/**
 * Adds a message to a visitor's thread, which begins with it if there is none. Its time is `now`, or a millisecond after the newest message
 * if that is later. Concurrent transactions meet in the thread's row, so times are strictly increasing in the order of the commits.
 */
export async function appendMessage(
  tx: Query,
  tables: GatewayTables,
  key: ThreadKey,
  message: NewThreadMessage,
  { now, newId }: { now: Date; newId: NewId },
): Promise<ThreadMessageRow> {
  const { webchatThreads, webchatMessages } = tables;
  const known = await findThread(tx, tables, key);
  const at = known === undefined || known.lastAt < now ? now : new Date(known.lastAt.getTime() + 1);
  const threadId = known?.id ?? newId();
  if (known === undefined) {
    await tx.insert(webchatThreads).values({ id: threadId, ...key, lastAt: at });
  } else {
    await tx
      .update(webchatThreads)
      .set({ lastAt: at })
      .where(and(eq(webchatThreads.tenantId, key.tenantId), eq(webchatThreads.id, threadId)))
      .returning({ id: webchatThreads.id });
  }
  const row = { ...message, tenantId: key.tenantId, threadId, at };
  await tx.insert(webchatMessages).values(row);
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
