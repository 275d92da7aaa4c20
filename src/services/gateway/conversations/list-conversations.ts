import { and, desc, eq, gt, inArray, isNotNull, not, notInArray, or, type SQL, sql } from "drizzle-orm";
import type { ConversationPage, ListedConversation } from "../../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { cutText } from "../../../kit/text/cut-text.ts";
import { searchedDigits } from "../../../kit/text/phone-digits.ts";
import { containsText } from "../../../storage/contains-text.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { DeskActor } from "../auth/desk-credential.ts";
import { contactsAt } from "../contacts/contacts-at.ts";
import { saysWords } from "../desk/message-words.ts";
import { type DeskFilter, isAtDesk, presentDesk, readDesks, seenBy } from "../desk/store.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import { type ConversationRow, getDeskConversation, noConversation, presentConversation } from "./store.ts";
import { withWindows } from "./window.ts";

export interface ConversationFilter extends DeskFilter {
  tenant?: string | undefined;
  channel?: ChannelName | undefined;
  mode?: ConversationRow["mode"] | undefined;
  /** True for those with messages that no operator has read. */
  unread?: boolean | undefined;
  /** True for those with a message that was accepted and then refused. */
  undelivered?: boolean | undefined;
  /** Part of the user's name or address, or words of the messages. */
  q?: string | undefined;
  /** Person whose unread messages are counted; null: those that no operator has read. */
  person: string | null;
  now: Date;
  limit: number;
  offset: number;
}

/** Lists conversations, the most recent first. Without `tenant`, those of all tenants: for operators only. */
export async function listConversations(
  storage: GatewayStorage,
  filter: ConversationFilter,
): Promise<ConversationPage> {
  const { tenant, channel, mode, unread, undelivered, q, person, now, limit, offset } = filter;
  const { read, tables } = storage;
  const { conversations, desk } = tables;
  const isFresh = isUnread(tables, person);
  const isWanted = and(
    tenant === undefined ? undefined : eq(conversations.tenantId, tenant),
    channel === undefined ? undefined : eq(conversations.channel, channel),
    mode === undefined ? undefined : eq(conversations.mode, mode),
    unread === undefined ? undefined : unread ? isFresh : not(isFresh),
    undelivered === undefined ? undefined : hasUndelivered(read, tables, tenant, undelivered),
    q === undefined || q === "" ? undefined : finds(read, tables, q, tenant),
    isAtDesk(tables, filter, now),
  );
  // A conversation that the desk never touched has no row there. Without conditions on it, both engines leave the join out.
  const ofDesk = eq(desk.conversationId, conversations.id);
  const rows = await read
    .select({ conversation: conversations })
    .from(conversations)
    .leftJoin(desk, ofDesk)
    .where(isWanted)
    .orderBy(desc(conversations.lastMessageAt), desc(conversations.id))
    .limit(limit)
    .offset(offset);
  const [counted] = await read
    .select({ total: sql<number>`count(*)`.mapWith(Number) })
    .from(conversations)
    .leftJoin(desk, ofDesk)
    .where(isWanted);
  const found = rows.map(({ conversation }) => conversation);
  return {
    conversations: await listed(storage, found, person, now),
    total: counted?.total ?? 0,
    limit,
    offset,
  };
}

/** Returns one conversation as a list shows it. Throws 404. */
export async function getConversation(
  storage: GatewayStorage,
  desk: DeskActor,
  id: string,
  now: Date,
): Promise<ListedConversation> {
  const row = await getDeskConversation(storage.read, storage.tables, desk, id);
  const [shown] = await listed(storage, [row], desk.person, now);
  if (shown === undefined) throw noConversation(id);
  return shown;
}

async function listed(
  storage: GatewayStorage,
  rows: readonly ConversationRow[],
  person: string | null,
  now: Date,
): Promise<ListedConversation[]> {
  const { read, tables } = storage;
  const unreadOf = await countUnread(storage, rows, person);
  const ids = rows.map(({ id }) => id);
  const deskOf = await readDesks(read, tables, ids);
  const lastOf = await lastMessages(storage, rows);
  const shown = rows.map((row) => ({
    ...presentConversation(row),
    ...presentDesk(deskOf.get(row.id), now),
    unread: unreadOf.get(row.id) ?? 0,
    last_message: lastOf.get(row.id) ?? null,
  }));
  return withWindows(read, tables, shown);
}

/** Up to where a person has read, or else any operator; the beginning of time if nobody has. A range of an index may start there. */
function seenUpTo(tables: GatewayTables, person: string | null): SQL {
  const { id, seenAt } = tables.conversations;
  const byPerson = person === null ? [] : [seenBy(tables, sql`${id}`, person)];
  return sql`coalesce(${sql.join([...byPerson, sql`${seenAt}`, sql.param(new Date(0), seenAt)], sql`, `)})`;
}

/**
 * A conversation whose newest message was read is not looked into. The aliases are of other tables, so their columns are written out.
 */
function isUnread(tables: GatewayTables, person: string | null): SQL {
  const { conversations, conversationMessages } = tables;
  const seen = seenUpTo(tables, person);
  const hasFresh = sql`exists (select 1 from ${conversationMessages} as fresh where fresh.conversation_id = ${conversations.id} and fresh.tenant_id = ${conversations.tenantId} and fresh.direction = 'inbound' and fresh.at > ${seen})`;
  return sql`(${conversations.lastMessageAt} > ${seen} and ${hasFresh})`;
}

/** The few refused messages are looked for first, and then their conversations. */
function hasUndelivered(
  query: ReadQuery,
  { conversations, outbox }: GatewayTables,
  tenant: string | undefined,
  isWanted: boolean,
): SQL {
  const refused = query
    .select({ id: outbox.conversationId })
    .from(outbox)
    .where(
      and(
        tenant === undefined ? undefined : eq(outbox.tenantId, tenant),
        eq(outbox.status, "sent"),
        eq(outbox.deliveryStatus, "failed"),
        isNotNull(outbox.conversationId),
      ),
    );
  return (isWanted ? inArray : notInArray)(conversations.id, refused);
}

/** True if the user's name or address contains the text, or messages have its words, in any case; a phone number may be spelled in any way. */
function finds(
  query: ReadQuery,
  tables: GatewayTables,
  q: string,
  tenant: string | undefined,
): SQL | undefined {
  const { id, externalUser, contactName, contactId } = tables.conversations;
  return or(
    containsText(externalUser, searchedDigits(q) ?? q),
    containsText(externalUser, q),
    containsText(contactName, q),
    inArray(contactId, contactsAt(query, tables, tenant, q)),
    saysWords(tables, sql`${id}`, q, tenant),
  );
}

async function countUnread(
  { read, tables }: GatewayStorage,
  rows: readonly ConversationRow[],
  person: string | null,
): Promise<Map<string, number>> {
  const { conversations, conversationMessages: messages } = tables;
  const seen = seenUpTo(tables, person);
  if (rows.length === 0) return new Map();
  const counted = await read
    .select({ id: messages.conversationId, count: sql<number>`count(*)`.mapWith(Number) })
    .from(messages)
    .innerJoin(
      conversations,
      and(eq(conversations.id, messages.conversationId), eq(conversations.tenantId, messages.tenantId)),
    )
    .where(
      and(
        inArray(
          messages.conversationId,
          rows.map(({ id }) => id),
        ),
        eq(messages.direction, "inbound"),
        gt(messages.at, seen),
      ),
    )
    .groupBy(messages.conversationId);
  return new Map(counted.map(({ id, count }) => [id, count]));
}

const shownChars = 200;

/** The newest message of each conversation: it has the conversation's time. */
async function lastMessages(
  { read, tables: { conversations, conversationMessages: messages } }: GatewayStorage,
  rows: readonly ConversationRow[],
): Promise<Map<string, NonNullable<ListedConversation["last_message"]>>> {
  if (rows.length === 0) return new Map();
  const found = await read
    .select({
      id: messages.conversationId,
      direction: messages.direction,
      kind: messages.kind,
      text: messages.text,
    })
    .from(messages)
    .innerJoin(
      conversations,
      and(
        eq(conversations.id, messages.conversationId),
        eq(conversations.tenantId, messages.tenantId),
        eq(messages.at, conversations.lastMessageAt),
      ),
    )
    .where(
      inArray(
        messages.conversationId,
        rows.map(({ id }) => id),
      ),
    );
  return new Map(
    found.map(({ id, direction, kind, text }) => [id, { direction, kind, text: cutText(text, shownChars) }]),
  );
}
