import { and, count, eq, inArray, sql } from "drizzle-orm";
import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { isShare, saysNothing } from "../../../channels/inbound/query-text.ts";
import { isBoundTry, tryOf } from "../../../channels/inbox/claim-events.ts";
import { closeEvent, leaseLost } from "../../../channels/inbox/close-event.ts";
import { hasImages } from "../../../channels/media/run-images.ts";
import { enqueueMessage } from "../../../channels/outbox/enqueue-message.ts";
import { boundValue, equalsBound, statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import { requireSealer } from "../accounts/credentials.ts";
import { type AccountRow, findAccount } from "../accounts/store.ts";
import type { BindingConfig } from "../bindings/binding-config.ts";
import { type BindingRow, findBindingOf, openConfig } from "../bindings/store.ts";
import { forwardedMessage } from "../callbacks/forwarded-message.ts";
import { nameContact } from "../contacts/find-contact.ts";
import { noteSpeaker } from "../contacts/group-speakers.ts";
import { moveWaiting } from "../contacts/merge-conversations.ts";
import { beginConversation } from "../conversations/begin-conversation.ts";
import { keepScore, scoreOf } from "../conversations/csat.ts";
import { findReplied, type RepliedMessage } from "../conversations/replied-message.ts";
import { type ConversationRow, lockConversation } from "../conversations/store.ts";
import { type Untold, untoldTurns } from "../conversations/untold-turns.ts";
import { findVerifiedPhone, noteIdentity } from "../identities/store.ts";
import type { InboundRow, RunPlan } from "../inbound/schema.ts";
import type { GatewayTables } from "../tables.ts";
import { type NotedEnd, noteEnd } from "../trail/note-inbound.ts";
import { transcriptsOf } from "../transcripts/heard-message.ts";
import { isAnswered, mentionedName } from "./addressed-account.ts";
import { type JoinedMessage, joinMessages } from "./join-messages.ts";
import { noteFirst, noteInbound, noteScored } from "./note-message.ts";
import type { ProcessPorts } from "./process-event.ts";
import { runPlan } from "./run-request.ts";

/** Automatic replies of a conversation within a minute. Two programs that answer each other stop here. */
const repliesMax = 20;
const repliesWithinMs = 60_000;

/** A message that an agent is to answer. */
export interface OpenedMessage {
  /** The message, with those that it was joined with. */
  event: MessageEvent;
  /** The run to ask for; undefined until the message's images were downloaded. */
  plan: RunPlan | undefined;
  account: AccountRow;
  conversation: ConversationRow;
  binding: BindingRow & { entryAgent: string };
  config: BindingConfig & { platform_api_key: string };
  isEmulated: boolean;
  senderPhone: string | undefined;
  untold: Untold;
  repliedTo: RepliedMessage | undefined;
}

/**
 * A message is open for an answer, or closed with an outcome because no agent answers it. It is left for later if its tenant or account has
 * too many waiting messages, because its answer would be one more.
 */
export type Opening =
  | { opened: OpenedMessage }
  | { outcome: string; conversationId?: string | undefined }
  | { outboxIsFull: true; conversationId: string }
  /** What agents know of the session is still being forgotten. */
  | { isBeingForgotten: true; conversationId: string }
  /** Others that belong to it may follow. */
  | { waitsForMs: number; conversationId: string };

/**
 * Records a message in its conversation and decides who answers it, in one transaction. If no agent does, or a callback gets it, the event is
 * closed in the same transaction. A repeated try finds what the first one recorded. The rows of the event and of its conversation order
 * what happens at the same time, so conversations don't wait for each other.
 */
export async function openMessage(
  ports: ProcessPorts,
  row: InboundRow,
  given: MessageEvent,
): Promise<Opening> {
  const { storage, clock, sealer } = ports;
  const { tables } = storage;
  const ownName = await mentionedName(ports, row, given);
  return storage.transact(
    async (tx): Promise<Opening> => {
      const now = clock.now();
      const close = async (outcome: string, conversationId?: string, more: Partial<NotedEnd> = {}) => {
        await closeEvent(tx, tables, row, { outcome, conversationId }, now);
        await noteEnd(tx, tables, ports.newId, row, { outcome, ...more }, now);
        return { outcome, conversationId };
      };
      const account = await findAccount(tx, tables, row.tenantId, row.accountId);
      if (account === undefined) return close("account_deleted");
      let event = given;
      const { conversation, score } = await recordMessage(ports, tx, row, event, now);
      if (score !== undefined) return close("scored", conversation.id);
      const binding = await findBindingOf(tx, tables, row.tenantId, row.accountId);
      if (binding === undefined) return close("unbound", conversation.id);
      if (conversation.mode === "human") return close("human", conversation.id);
      const config = openConfig(requireSealer(sealer), binding);
      if (!isAnswered(ports, account, config, event, ownName)) return close("unaddressed", conversation.id);
      if (row.plan === null && (await ports.room.isFull(tx, tables, row))) {
        await keepOpened(tx, tables, row, { conversation, plan: null });
        return { outboxIsFull: true, conversationId: conversation.id };
      }
      if (row.plan === null && (await isBeingForgotten(tx, tables, row, conversation, now))) {
        await keepOpened(tx, tables, row, { conversation, plan: null });
        return { isBeingForgotten: true, conversationId: conversation.id };
      }
      if (config.callback_url !== undefined) {
        const forwardId = ports.newId();
        await enqueueMessage(tx, tables, forwardedMessage(forwardId, row, event, conversation), now);
        return close("forwarded", conversation.id, { forwardId });
      }
      if (row.plan === null) {
        const join = { row, event, config, conversationId: conversation.id };
        const record = async (one: JoinedMessage) => {
          await recordMessage(ports, tx, one.row, one.event, now);
          await noteEnd(tx, tables, ports.newId, one.row, { outcome: "joined" }, now);
        };
        const joined = await joinMessages(tx, tables, join, record, now);
        event = joined.event;
        if (joined.waitMs > 0) {
          await keepOpened(tx, tables, row, { conversation, plan: null });
          return { waitsForMs: joined.waitMs, conversationId: conversation.id };
        }
      }
      if (row.plan === null && event.media.some(({ kind }) => kind === "audio")) {
        const heard = await transcriptsOf(ports, tx, row, event, now);
        if (heard.waitMs > 0) {
          await keepOpened(tx, tables, row, { conversation, plan: null });
          return { waitsForMs: heard.waitMs, conversationId: conversation.id };
        }
        event = heard.event;
      }
      if (isShare(event) && config.answer_mentions !== true) return close("shared", conversation.id);
      if (saysNothing(event)) return close("empty", conversation.id);
      if ((await countReplies(tx, tables, conversation, now)) >= repliesMax)
        return close("limited", conversation.id);
      const { entryAgent } = binding;
      const { platform_api_key: apiKey } = config;
      if (entryAgent === null || apiKey === undefined) return close("unbound", conversation.id);
      const senderPhone =
        event.senderPhone ??
        (await findVerifiedPhone(tx, tables, { ...row, externalUser: event.sender.address }));
      const untold = await untoldTurns(tx, tables, conversation, [row.id, ...(event.joined ?? [])]);
      const repliedTo =
        event.replyTo === undefined ? undefined : await findReplied(tx, tables, conversation, event.replyTo);
      const answering = {
        event,
        repliedTo,
        account,
        untold,
        conversation,
        binding: { ...binding, entryAgent },
        config: { ...config, platform_api_key: apiKey },
        isEmulated: account.emulated || ports.emulatedIds.includes(account.externalId),
        senderPhone,
      };
      const plan = row.plan ?? (hasImages(event) ? null : runPlan(row, event, answering, [], now));
      if (row.conversationId === null || plan !== row.plan)
        await keepOpened(tx, tables, row, { conversation, plan });
      return { opened: { ...answering, plan: plan ?? undefined } };
    },
    { isolation: "read committed" },
  );
}

/** Time for which a message waits until its session is forgotten. */
const forgottenWithinMs = 10 * 60_000;

/** True if a new conversation has the session of one that is being forgotten: the agent must not know that any more. */
async function isBeingForgotten(
  tx: Query,
  { forgottenSessions }: GatewayTables,
  { receivedAt }: InboundRow,
  { tenantId, sessionId, openedAt }: ConversationRow,
  now: Date,
): Promise<boolean> {
  if (openedAt !== null || now.getTime() - receivedAt.getTime() > forgottenWithinMs) return false;
  const [left] = await tx
    .select({ sessionId: forgottenSessions.sessionId })
    .from(forgottenSessions)
    .where(and(eq(forgottenSessions.tenantId, tenantId), eq(forgottenSessions.sessionId, sessionId)));
  return left !== undefined;
}

interface Recorded {
  conversation: ConversationRow;
  /** The user's answer to the question after a resolution. */
  score?: number | undefined;
}

/** Finds or begins the message's conversation, and adds the message to it once. */
async function recordMessage(
  { storage: { tables }, newId, transcriber }: ProcessPorts,
  tx: Query,
  row: InboundRow,
  event: MessageEvent,
  now: Date,
): Promise<Recorded> {
  const { tenantId, channel, conversationId } = row;
  if (conversationId !== null) {
    const known = await lockConversation(tx, tables, tenantId, conversationId);
    if (known !== undefined) return { conversation: known };
  }
  const named = namedBy(event);
  const { conversation, isNew } = await beginConversation(tx, tables, newId, row, named, now);
  const { address } = event.conversation;
  const recipient = address.address === conversation.externalUser ? null : address.address;
  if (conversation.recipient !== recipient) await answerAt(tx, tables, conversation, recipient);
  const score = scoreOf(conversation, event, now);
  const note = score !== undefined ? noteScored : isNew ? noteFirst : noteInbound;
  await note(tx, tables, row, event, conversation, transcriber !== undefined);
  if (event.conversation.isGroup) {
    const { id: messageId, accountId, receivedAt: at } = row;
    const speaker = { messageId, tenantId, accountId, conversationId: conversation.id, at };
    await noteSpeaker(tx, tables, { ...speaker, address: event.sender.address });
  }
  if (score !== undefined) await keepScore(tx, tables, newId, row, conversation, score, now);
  if (event.contactName !== undefined && event.contactName !== conversation.contactName && !isNew)
    await nameContact(tx, tables, tenantId, conversation.contactId, event.contactName);
  if (event.senderPhone !== undefined) {
    const { senderPhone: phone, sender } = event;
    await noteIdentity(tx, tables, {
      tenantId,
      channel,
      phone,
      externalUser: sender.address,
      verifiedAt: now,
    });
  }
  return { conversation: { ...conversation, recipient }, score };
}

/** The addresses of a message's person. A group is one by itself. */
function namedBy({ conversation, senderAlias, contactName, sentAt }: MessageEvent) {
  const { key, address, isGroup } = conversation;
  const alias = isGroup || senderAlias === undefined ? [] : [senderAlias.address];
  return {
    addresses: [key, ...alias] as const,
    ...(isGroup && { kinds: { [key]: "chat" as const } }),
    ...(contactName !== undefined && { name: contactName }),
    ...(address.address !== key && { recipient: address.address }),
    begins: true,
    at: sentAt,
  };
}

/** Lets the answers of a conversation, and what waits for its user, go where the user wrote from last. */
async function answerAt(
  tx: Query,
  tables: GatewayTables,
  conversation: ConversationRow,
  recipient: string | null,
): Promise<void> {
  const { conversations } = tables;
  const { id, tenantId } = conversation;
  await tx
    .update(conversations)
    .set({ recipient })
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, id)))
    .returning({ id: conversations.id });
  await moveWaiting(tx, tables, { ...conversation, recipient });
}

/**
 * Notes the conversation of an open event, so that a repeated try does not record the message again, and its run, if it is known. Throws
 * `lease_lost` like `closeEvent`: then nothing of the transaction is stored.
 */
async function keepOpened(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  { conversation, plan }: { conversation: ConversationRow; plan: RunPlan | null },
): Promise<void> {
  const kept = await openedUpdate(tx, tables).execute({
    ...tryOf(row),
    conversationId: conversation.id,
    plan,
  });
  if (kept.length === 0) throw leaseLost();
}

const openedUpdate = statement((tx: Query, tables: GatewayTables) => {
  const { inbound } = tables;
  return tx
    .update(inbound)
    .set({
      conversationId: sql`${sql.placeholder("conversationId")}`,
      plan: sql`${boundValue(inbound.plan, "plan")}`,
    })
    .where(isBoundTry(tables))
    .returning({ id: inbound.id })
    .prepare("keep_opened_event");
});

/** Counts the messages of a conversation that were answered within the last minute. */
async function countReplies(
  tx: Query,
  tables: GatewayTables,
  { id, tenantId }: ConversationRow,
  now: Date,
): Promise<number> {
  const since = new Date(now.getTime() - repliesWithinMs);
  const [row] = await repliesSince(tx, tables).execute({ tenantId, id, since });
  return row?.count ?? 0;
}

const repliesSince = statement((tx: Query, { inbound }: GatewayTables) =>
  tx
    .select({ count: count() })
    .from(inbound)
    .where(
      and(
        equalsBound(inbound.tenantId, "tenantId"),
        equalsBound(inbound.conversationId, "id"),
        sql`${inbound.closedAt} > ${boundValue(inbound.closedAt, "since")}`,
        inArray(inbound.outcome, ["answered", "fallback"]),
      ),
    )
    .prepare("count_replies"),
);
