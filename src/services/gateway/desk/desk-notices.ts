import { and, eq, gt, ne, or, type SQL, sql } from "drizzle-orm";
import { enqueueMessage } from "../../../channels/outbox/enqueue-message.ts";
import type { MessageSender, SendResult } from "../../../channels/outbox/message-sender.ts";
import type { DeskNoticeInput } from "../../../contracts/platform/notices.ts";
import { type NewId, newId } from "../../../kit/id.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Query } from "../../../storage/storage.ts";
import { requireSealer } from "../accounts/credentials.ts";
import { findBindingOf, openConfig } from "../bindings/store.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import { type DeskKey, needPerson } from "./store.ts";

/*
 * Webhooks and e-mails belong to the platform. What they should tell of conversations leaves through the outbox, so that it is neither lost
 * nor sent for something that was rolled back; the platform gives each notice once.
 */

/** The platform's notices. */
export interface DeskNotices {
  give(notice: DeskNoticeInput, apiKey: string): Promise<SendResult>;
}

type Occasion = Pick<DeskNoticeInput, "event" | "occasion" | "people" | "by" | "reason">;

/** Queues a notice about a conversation, in the transaction of its cause. Without a platform's key nobody could be told. */
export async function giveDeskNotice(
  tx: Query,
  tables: GatewayTables,
  { tenantId, conversationId }: DeskKey,
  occasion: Occasion,
  now: Date,
): Promise<void> {
  const { conversations } = tables;
  const [row] = await tx
    .select({
      accountId: conversations.accountId,
      channel: conversations.channel,
      contactName: conversations.contactName,
    })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, conversationId)));
  if (row === undefined) return;
  const { accountId, channel, contactName } = row;
  const binding = await findBindingOf(tx, tables, tenantId, accountId);
  if (binding?.masked.platform_api_key === undefined) return;
  const id = newId();
  const notice: DeskNoticeInput = {
    ...occasion,
    conversation_id: conversationId,
    channel,
    contact_name: contactName,
  };
  await enqueueMessage(
    tx,
    tables,
    {
      id,
      tenantId,
      channel,
      accountId,
      // A lane of its own: one that fails holds up no other.
      recipient: id,
      conversationId,
      source: "desk_notice",
      payload: { notice },
    },
    now,
  );
}

/** Asks for a person, and tells of it. A conversation that asks already keeps its first reason. */
export async function callPerson(
  tx: Query,
  tables: GatewayTables,
  newEntryId: NewId,
  key: DeskKey,
  { reason, at }: { reason: string; at: Date },
): Promise<void> {
  const entry = await needPerson(tx, tables, newEntryId, key, { reason, at });
  if (entry === undefined) return;
  const occasion = { event: "desk.needs_person" as const, occasion: entry.id, reason: entry.text };
  await giveDeskNotice(tx, tables, key, occasion, at);
}

/** Tells of a user's message in a conversation that somebody answers, unless they have others there that they haven't read. */
export async function noticeAssignee(
  tx: Query,
  tables: GatewayTables,
  { id, tenantId, conversationId, at }: DeskKey & { id: string; at: Date },
  assignee: string,
): Promise<void> {
  const { conversationMessages: messages, conversations, deskSeen } = tables;
  const seen: SQL = sql`(select ${deskSeen.seenAt} from ${deskSeen} where ${deskSeen.conversationId} = ${conversationId} and ${deskSeen.person} = ${assignee})`;
  const ofAll = sql`(select ${conversations.seenAt} from ${conversations} where ${conversations.id} = ${conversationId} and ${conversations.tenantId} = ${tenantId})`;
  const [unread] = await tx
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, conversationId),
        eq(messages.direction, "inbound"),
        ne(messages.id, id),
        or(sql`coalesce(${seen}, ${ofAll}) is null`, gt(messages.at, sql`coalesce(${seen}, ${ofAll})`)),
        // A reply says that they have read what was before it.
        sql`not exists (select 1 from ${messages} as own where own.conversation_id = ${messages.conversationId} and own.direction = 'outbound' and own.at > ${messages.at})`,
      ),
    )
    .limit(1);
  if (unread !== undefined) return;
  const key = { tenantId, conversationId };
  await giveDeskNotice(tx, tables, key, { event: "desk.message", occasion: id, people: [assignee] }, at);
}

/** Gives what is for the platform to it, and everything else to `inner`. */
export function createNoticeSender(
  inner: MessageSender,
  { storage, sealer, notices }: { storage: GatewayStorage; sealer: Sealer | undefined; notices: DeskNotices },
): MessageSender {
  return {
    ...inner,
    async send(account, message, part) {
      const { notice } = message;
      if (notice === undefined) return inner.send(account, message, part);
      const binding = await findBindingOf(storage.read, storage.tables, account.tenantId, account.id);
      const { platform_api_key: apiKey } =
        binding === undefined ? {} : openConfig(requireSealer(sealer), binding);
      const result: SendResult =
        apiKey === undefined
          ? { action: "final", code: "binding_removed" }
          : await notices.give(notice, apiKey);
      return { result, channelMessageId: undefined };
    },
  };
}
