import { and, asc, desc, eq } from "drizzle-orm";
import type {
  Conversation,
  ConversationMessage,
  ConversationMessagePage,
} from "../../../contracts/gateway/admin.ts";
import { AppError } from "../../../kit/app-error.ts";
import { isPostgres } from "../../../storage/json-rows.ts";
import { boundRow, equalsBound, statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { DeskActor } from "../auth/desk-credential.ts";
import { type AddressPlace, findAddress } from "../contacts/addresses.ts";
import { currentId } from "../contacts/merged-ids.ts";
import { noticeAssignee } from "../desk/desk-notices.ts";
import { noteWords } from "../desk/message-words.ts";
import { authorsOf, notePersonSeen, presentDesk, readDesk, wakeByUser } from "../desk/store.ts";
import { reactionsTo } from "../reactions/store.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import { repliedBy } from "./replied-message.ts";
import { type Answerer, type ConversationTouch, justAnswered, justTouched, measureTouch } from "./touch.ts";
import { withWindows } from "./window.ts";

export type ConversationRow = GatewayTables["conversations"]["$inferSelect"];
export type ConversationMessageRow = GatewayTables["conversationMessages"]["$inferSelect"];

/** Reads a conversation, or the one that it became part of, and keeps others from changing it until the transaction ends. */
export async function lockConversation(
  tx: Query,
  tables: GatewayTables,
  tenantId: string,
  id: string,
): Promise<ConversationRow | undefined> {
  const [row] = await locked(tx, tables).execute({ tenantId, id });
  if (row !== undefined) return row;
  const [merged] = await locked(tx, tables).execute({
    tenantId,
    id: await currentId(tx, tables, "conversation", id),
  });
  return merged;
}

const locked = statement((tx: Query, { conversations }: GatewayTables) => {
  const query = tx
    .select()
    .from(conversations)
    .where(and(equalsBound(conversations.tenantId, "tenantId"), equalsBound(conversations.id, "id")));
  // On SQLite, there is no other transaction.
  if (isPostgres(conversations)) query.for("update");
  return query.prepare("lock_conversation");
});

/** The conversation of an account with the person who has an address, locked until the transaction ends. */
export async function lockConversationWith(
  tx: Query,
  tables: GatewayTables,
  place: AddressPlace,
  externalUser: string,
): Promise<ConversationRow | undefined> {
  const address = await findAddress(tx, tables, place, externalUser);
  return address === undefined ? undefined : lockConversationOf(tx, tables, place, address.contactId);
}

/** The conversation of an account with a contact, locked until the transaction ends. */
export async function lockConversationOf(
  tx: Query,
  tables: GatewayTables,
  { tenantId, accountId }: AddressPlace,
  contactId: string,
): Promise<ConversationRow | undefined> {
  const [row] = await lockedOf(tx, tables).execute({ tenantId, accountId, contactId });
  return row;
}

const lockedOf = statement((tx: Query, { conversations }: GatewayTables) => {
  const query = tx
    .select()
    .from(conversations)
    .where(
      and(
        equalsBound(conversations.tenantId, "tenantId"),
        equalsBound(conversations.accountId, "accountId"),
        equalsBound(conversations.contactId, "contactId"),
      ),
    );
  if (isPostgres(conversations)) query.for("update");
  return query.prepare("lock_conversation_of_contact");
});

/** Adds a conversation. Returns false if its account already has one with the contact or address. */
export async function addConversation(
  tx: Query,
  tables: GatewayTables,
  conversation: ConversationRow,
): Promise<boolean> {
  const added = await conversationInsert(tx, tables).execute({ ...conversation });
  return added.length > 0;
}

const conversationInsert = statement((tx: Query, { conversations }: GatewayTables) =>
  tx
    .insert(conversations)
    .values(boundRow(conversations))
    .onConflictDoNothing()
    .returning({ id: conversations.id })
    .prepare("add_conversation"),
);

/**
 * Adds a message to its conversation, which is then the most recent one. Its time is later than that of every message before, so that a
 * reader of all messages since a time misses none. The statement that finds the time locks the conversation until the transaction ends.
 */
export async function addMessage(
  tx: Query,
  tables: GatewayTables,
  message: ConversationMessageRow,
  { touch = justTouched, by, wakes }: AddedBy = {},
): Promise<void> {
  const { tenantId, conversationId: id, at: wanted } = message;
  const { touch: statement, values } = by !== undefined && touch === justTouched ? justAnswered : touch;
  const [touched] = await statement(tx, tables).execute({ ...values, tenantId, id, at: wanted });
  const at = touched?.at ?? wanted;
  await insertMessage(tx, tables, { ...message, at }, wakes);
  if (touched !== undefined) await measureTouch(tx, tables, message, touched, by);
}

/** What a message is beside its text. */
export interface AddedBy {
  touch?: ConversationTouch | undefined;
  /** Who answers by it; undefined: it is no answer. */
  by?: Answerer | undefined;
  /** False for a message for which a resolved conversation is not opened. */
  wakes?: boolean | undefined;
}

/** Adds the first message of a conversation that this transaction added with the message's time. */
export async function insertMessage(
  tx: Query,
  tables: GatewayTables,
  message: ConversationMessageRow,
  wakes = true,
): Promise<void> {
  await messageInsert(tx, tables).execute({ ...message });
  await noteWords(tx, tables, message);
  // A reaction says nothing that a resolved conversation is opened for.
  if (!wakes || message.direction !== "inbound" || message.kind === "reaction") return;
  const assignee = await wakeByUser(tx, tables, () => message.id, message, message.at);
  if (assignee !== null) await noticeAssignee(tx, tables, message, assignee);
}

const messageInsert = statement((tx: Query, { conversationMessages }: GatewayTables) =>
  tx.insert(conversationMessages).values(boundRow(conversationMessages)).prepare("add_conversation_message"),
);

/** Returns a conversation that the desk may see: without a tenant, any. Throws 404. */
export async function getDeskConversation(
  query: ReadQuery,
  tables: GatewayTables,
  { tenantId }: Pick<DeskActor, "tenantId">,
  id: string,
): Promise<ConversationRow> {
  const { conversations } = tables;
  const find = (wanted: string) =>
    query
      .select()
      .from(conversations)
      .where(
        and(
          eq(conversations.id, wanted),
          tenantId === undefined ? undefined : eq(conversations.tenantId, tenantId),
        ),
      );
  const [row] = await find(id);
  if (row !== undefined) return row;
  const [merged] = await find(await currentId(query, tables, "conversation", id));
  if (merged !== undefined) return merged;
  throw noConversation(id);
}

export const noConversation = (id: string) =>
  new AppError("not_found", "not_found", `There is no conversation ${id}.`);

/** Lists the messages of a conversation, by default the oldest first. Throws 404. */
export async function listMessages(
  { read, tables }: GatewayStorage,
  desk: Pick<DeskActor, "tenantId">,
  id: string,
  { limit, offset, order = "oldest" }: { limit: number; offset: number; order?: "oldest" | "newest" },
): Promise<ConversationMessagePage> {
  const sorted = order === "oldest" ? asc : desc;
  const { conversationMessages, outbox } = tables;
  const { tenantId, id: conversationId } = await getDeskConversation(read, tables, desk, id);
  const rows = await read
    .select({
      message: conversationMessages,
      status: outbox.status,
      deliveryStatus: outbox.deliveryStatus,
      sentAs: outbox.channelMessageId,
      invocationId: outbox.invocationId,
      source: outbox.source,
      lastError: outbox.lastError,
    })
    .from(conversationMessages)
    .leftJoin(outbox, eq(outbox.id, conversationMessages.id))
    .where(
      and(
        eq(conversationMessages.tenantId, tenantId),
        eq(conversationMessages.conversationId, conversationId),
      ),
    )
    .orderBy(sorted(conversationMessages.at), sorted(conversationMessages.id))
    .limit(limit)
    .offset(offset);
  const sentIds = rows.flatMap(({ message }) => (message.direction === "outbound" ? [message.id] : []));
  const reactions = await reactionsTo(read, tables, tenantId, sentIds);
  const authors = await authorsOf(read, tables, tenantId, sentIds);
  const replied = await repliedBy(read, tables, { tenantId, id: conversationId }, rows);
  const messages = rows.map(
    ({ message, status, deliveryStatus, sentAs, invocationId, source, lastError }) => {
      const toIt = reactions.get(message.id);
      const author = authors.get(message.id);
      const reached = deliveryStatus ?? status;
      const { replyToId } = message;
      return {
        ...presentMessage(message, { status: reached, sentAs }),
        ...(invocationId !== null && { invocation_id: invocationId }),
        ...(source !== null && { source }),
        // An error of an earlier try is overcome.
        ...(lastError !== null && (reached === "failed" || reached === "resent") && { error: lastError }),
        ...(replyToId !== null && { reply_to: { id: replyToId, ...replied.get(replyToId) } }),
        ...(author !== undefined && { author }),
        ...(toIt !== undefined && { reactions: toIt }),
      };
    },
  );
  return { messages, limit, offset };
}

/**
 * Records up to where a person, or an operator who isn't named, has read a conversation: its newest message, or, if `isUnread`, the one before the
 * user's newest. Throws 404.
 */
export function markSeen(
  storage: GatewayStorage,
  desk: DeskActor,
  id: string,
  now: Date,
  isUnread = false,
): Promise<Conversation> {
  const { tables } = storage;
  const { conversations } = tables;
  const { person } = desk;
  return storage.transact(async (tx) => {
    const row = await getDeskConversation(tx, tables, desk, id);
    const { id: conversationId, tenantId } = row;
    const seenAt = isUnread ? await beforeNewest(tx, tables, row) : row.lastMessageAt;
    if (person === null)
      await tx
        .update(conversations)
        .set({ seenAt })
        .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, conversationId)))
        .returning({ id: conversations.id });
    else await notePersonSeen(tx, tables, { conversationId, tenantId, person, seenAt });
    return showConversation(tx, tables, row, now);
  });
}

async function beforeNewest(
  tx: Query,
  { conversationMessages: messages }: GatewayTables,
  { id, tenantId, lastMessageAt }: ConversationRow,
): Promise<Date> {
  const [newest] = await tx
    .select({ at: messages.at })
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, id),
        eq(messages.direction, "inbound"),
      ),
    )
    .orderBy(desc(messages.at))
    .limit(1);
  return newest === undefined ? lastMessageAt : new Date(newest.at.getTime() - 1);
}

/** Shows a conversation with what the desk decided about it, and until when free text is taken. */
export async function showConversation(
  query: ReadQuery,
  tables: GatewayTables,
  row: ConversationRow,
  now: Date,
): Promise<Conversation> {
  const key = { tenantId: row.tenantId, conversationId: row.id };
  const shown = { ...presentConversation(row), ...presentDesk(await readDesk(query, tables, key), now) };
  const [withWindow] = await withWindows(query, tables, [shown]);
  return withWindow ?? shown;
}

export const presentConversation = (row: ConversationRow) => ({
  id: row.id,
  tenant_id: row.tenantId,
  channel: row.channel,
  account_id: row.accountId,
  external_user: row.externalUser,
  contact_id: row.contactId,
  session_id: row.sessionId,
  agent_name: row.agentName,
  contact_name: row.contactName,
  last_message_at: row.lastMessageAt.toISOString(),
  created_at: row.createdAt.toISOString(),
  mode: row.mode,
});

function presentMessage(
  {
    id,
    conversationId,
    direction,
    kind,
    text,
    firstText,
    media,
    channelMessageId,
    at,
  }: ConversationMessageRow,
  { status, sentAs }: { status: string | null; sentAs: string | null },
): ConversationMessage {
  const isInbound = direction === "inbound";
  return {
    id,
    conversation_id: conversationId,
    direction,
    kind,
    text,
    ...(firstText !== null && { first_text: firstText }),
    media,
    channel_message_id: channelMessageId ?? sentAs,
    // The outbox keeps its rows for a shorter time than conversations do.
    status: isInbound ? "received" : (status ?? "sent"),
    at: at.toISOString(),
  };
}
