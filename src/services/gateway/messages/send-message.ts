import { and, eq } from "drizzle-orm";
import { itemsOf, textOf } from "../../../channels/json-fields.ts";
import { enqueueMessage, type NewMessage } from "../../../channels/outbox/enqueue-message.ts";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import type { ConversationMedia, MessageSource } from "../../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { Media, MessageContent, QueuedMessage, SendInput } from "../../../contracts/gateway/messages.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { canonicalJson } from "../../../kit/json/canonical-json.ts";
import type { TraceParent } from "../../../kit/trace-parent.ts";
import type { Query } from "../../../storage/storage.ts";
import { findAccount, findOldestAccount } from "../accounts/store.ts";
import { beginConversation } from "../conversations/begin-conversation.ts";
import type { TurnAuthor } from "../conversations/schema.ts";
import { addMessage, type ConversationRow, lockConversation } from "../conversations/store.ts";
import type { Answerer } from "../conversations/touch.ts";
import { windowEnds } from "../conversations/window.ts";
import { answeredByPerson, noteAuthor } from "../desk/store.ts";
import type { Change, EventFeed } from "../events/event-feed.ts";
import type { FileLinks } from "../media/file-links.ts";
import type { OutboxRoom } from "../outbox/outbox-room.ts";
import type { StorageRoom } from "../room/storage-room.ts";
import type { GatewayStoreDeps, GatewayTables } from "../tables.ts";
import type { TemplateTexts } from "../templates/template-texts.ts";
import { requireUserAddress } from "../user-address.ts";
import { readContent, requireSendable } from "./check-content.ts";
import { withFile } from "./with-file.ts";

export interface SendPorts extends GatewayStoreDeps {
  bell: OutboxBell;
  room: OutboxRoom;
  storageRoom: StorageRoom;
  feed: EventFeed;
  links: FileLinks;
  /** What templates say. */
  templateTexts: TemplateTexts;
}

/** Sender of a message, and its own key for it. */
export interface SendOrder {
  tenantId: string;
  source: MessageSource;
  idempotencyKey?: string | undefined;
  /** The platform's id of the run that writes the message. */
  invocationId?: string | undefined;
  /** Person who writes it; null for an operator who isn't named, undefined for a program. */
  author?: string | null | undefined;
  /** Trace that the request belongs to. */
  trace?: TraceParent | undefined;
}

/**
 * Queues a message of a tenant. Throws 400 for invalid content, 404 for an account or conversation that the tenant doesn't have, 409 for an
 * idempotency key of another message, a closed window or a tenant that may store no more, 503 if too many messages wait or the disk is nearly full, and 500 if it can't be stored.
 */
export async function sendMessage(
  ports: SendPorts,
  order: SendOrder,
  input: SendInput,
): Promise<QueuedMessage> {
  const { storage, clock, newId, bell, room, storageRoom, feed } = ports;
  let sent: NewMessage | undefined;
  const content = readContent(input);
  const idempotency = idempotencyOf(order, input);
  const templateSays = await wordingOf(ports, order.tenantId, input);
  const queue = () =>
    storage.transact(
      async (tx): Promise<QueuedMessage> => {
        const known = idempotency && (await findQueued(tx, storage.tables, order.tenantId, idempotency));
        if (known !== undefined) return known;
        const target = await findTarget(tx, ports, order.tenantId, input);
        const payload = await withFile(ports, tx, { ...target, tenantId: order.tenantId }, content);
        requireSendable(target.channel, payload);
        if (payload.template === undefined && input.force !== true) {
          await requireOpenWindow(tx, storage.tables, target, clock.now());
        }
        await storageRoom.requireRoom(tx, order.tenantId);
        await room.take(tx, storage.tables, { tenantId: order.tenantId, accountId: target.accountId });
        const now = clock.now();
        const message: NewMessage = {
          id: newId(),
          tenantId: order.tenantId,
          ...target,
          source: order.source,
          invocationId: order.invocationId,
          payload: { ...payload, ...(order.trace !== undefined && { trace: order.trace.traceId }) },
          idempotency,
        };
        const by = { person: order.author };
        await noteInConversation(
          tx,
          storage.tables,
          message,
          authorOf(order, payload),
          now,
          by,
          templateSays,
        );
        await enqueueMessage(tx, storage.tables, message, now);
        const { author } = order;
        const { id: messageId, tenantId, conversationId } = message;
        if (author !== undefined && author !== null)
          await noteAuthor(tx, storage.tables, { messageId, tenantId, author, at: now });
        if (author !== undefined && conversationId !== null)
          await answeredByPerson(tx, storage.tables, { tenantId, conversationId });
        sent = message;
        return { message_id: message.id, status: "pending" };
        // The index of the keys keeps a message from being queued twice, and the lane's last row orders those to one recipient.
      },
      { isolation: "read committed" },
    );
  try {
    // Another request under the same key was faster: the second look finds its message.
    const queued = await queue().catch((thrown) => {
      if (idempotency !== undefined && isDuplicate(thrown)) return queue();
      throw thrown;
    });
    bell.ring();
    if (sent !== undefined) feed.publish(...changesOf(sent));
    return queued;
  } catch (thrown) {
    throw storageFault(thrown);
  }
}

/** Changes that open pages learn about a queued message. */
export function changesOf({ id, tenantId, accountId, channel, conversationId }: NewMessage): Change[] {
  const of = { tenant_id: tenantId, account_id: accountId, channel };
  if (conversationId === null) return [{ about: "outbound", change: "queued", ...of, message_id: id }];
  const inConversation = { ...of, conversation_id: conversationId };
  return [
    { about: "outbound", change: "queued", ...inConversation, message_id: id },
    { about: "conversation", change: "message", ...inConversation },
  ];
}

const isDuplicate = (thrown: unknown) => thrown instanceof AppError && thrown.code === "already_exists";

interface Target {
  channel: ChannelName;
  accountId: string;
  recipient: string;
  conversationId: string;
}

/** A message to somebody without a conversation begins it. */
async function findTarget(
  tx: Query,
  { storage: { tables }, clock, newId }: SendPorts,
  tenantId: string,
  { channel, recipient, account_id: accountId, conversation_ref: conversationId }: SendInput,
): Promise<Target> {
  if (conversationId !== undefined) {
    // Until the end, because what moves a user to another address moves only what is queued by then.
    const conversation = await lockConversation(tx, tables, tenantId, conversationId);
    if (conversation === undefined) throw notFound(`There is no conversation ${conversationId}.`);
    if (accountId !== undefined && accountId !== conversation.accountId) {
      throw invalid(`account_id is not the account of conversation ${conversationId}; leave it out.`);
    }
    const account = await findAccount(tx, tables, tenantId, conversation.accountId);
    if (account === undefined) throw notFound(`The account of conversation ${conversationId} was deleted.`);
    return {
      channel: conversation.channel,
      accountId: conversation.accountId,
      ...targetOf(conversation),
    };
  }
  if (channel === undefined) throw invalid("channel is required unless conversation_ref is set.");
  if (recipient === undefined) throw invalid("recipient is required unless conversation_ref is set.");
  const address = requireUserAddress(channel, recipient, "recipient");
  const account =
    accountId === undefined
      ? await findOldestAccount(tx, tables, tenantId, channel)
      : await findAccount(tx, tables, tenantId, accountId);
  if (account === undefined || account.channel !== channel) {
    throw notFound(
      accountId === undefined
        ? `There is no account on ${channel}.`
        : `There is no account ${accountId} on ${channel}.`,
    );
  }
  const place = { tenantId, accountId: account.id, channel };
  // A number that its person left may be another person's now.
  const named = { addresses: [address] as const, at: clock.now() };
  const { conversation } = await beginConversation(tx, tables, newId, place, named, clock.now());
  return { channel, accountId: account.id, ...targetOf(conversation) };
}

/** Answers go where the person is now, however the sender spelled their address. */
const targetOf = ({ id, recipient, externalUser }: ConversationRow) => ({
  recipient: recipient ?? externalUser,
  conversationId: id,
});

/**
 * Throws 409 `window_closed` for free text that the provider would refuse, because the user wrote too long ago. Of a user who never wrote here,
 * only the provider knows.
 */
async function requireOpenWindow(
  tx: Query,
  tables: GatewayTables,
  { channel, conversationId }: Target,
  now: Date,
): Promise<void> {
  const ends = await windowEnds(tx, tables, [{ id: conversationId, channel }]);
  const end = ends.get(conversationId);
  if (end == null || now < end) return;
  throw new AppError(
    "conflict",
    "window_closed",
    `The user wrote too long ago: ${channel} takes free text until ${end.toISOString()}.`,
    { details: { hint: "Send an approved template, or set force to let the provider decide." } },
  );
}

/** Adds a message to its conversation. */
export async function noteInConversation(
  tx: Query,
  tables: GatewayTables,
  { id, tenantId, conversationId, channel, payload }: NewMessage,
  untoldBy: TurnAuthor | null,
  at: Date,
  by?: Answerer,
  /** What its template says. */
  templateSays?: string,
): Promise<void> {
  if (conversationId === null) return;
  await addMessage(
    tx,
    tables,
    {
      id,
      tenantId,
      conversationId,
      channel,
      direction: "outbound",
      kind: kindOf(payload),
      text: payload.text ?? payload.media?.caption ?? templateLine(payload, templateSays),
      media: payload.media === undefined ? [] : [shownMedia(payload.media)],
      channelMessageId: null,
      replyToId: null,
      firstText: null,
      untoldBy,
      at,
    },
    { by },
  );
}

/** A file of ours as its conversation shows it. */
const shownMedia = ({ filename, ...media }: Media): ConversationMedia => ({
  ...media,
  ...(filename !== undefined && { file_name: filename }),
});

/** Who wrote a message, as the agent is told. */
const authorOf = ({ author }: SendOrder, { template }: MessageContent): TurnAuthor =>
  template !== undefined ? "template" : author !== undefined ? "person" : "program";

const kindOf = ({ media, template }: MessageContent): string =>
  template !== undefined ? "template" : (media?.kind ?? "text");

/** Looks for the words of a template before the transaction, because its provider may have to be asked. */
async function wordingOf(
  { storage: { read, tables }, templateTexts }: SendPorts,
  tenantId: string,
  { channel, account_id: named, conversation_ref: ref, template }: SendInput,
): Promise<string | undefined> {
  if (template === undefined) return undefined;
  const { conversations } = tables;
  const [talk] =
    ref === undefined
      ? []
      : await read
          .select({ accountId: conversations.accountId })
          .from(conversations)
          .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, ref)));
  const accountId = talk?.accountId ?? named;
  const account =
    accountId !== undefined
      ? await findAccount(read, tables, tenantId, accountId)
      : channel && (await findOldestAccount(read, tables, tenantId, channel));
  return account && templateTexts.textOf(account, template);
}

/** A template as people and agents read it in its conversation: its name and language, and its words or at least its values. */
function templateLine({ template }: MessageContent, says: string | undefined): string {
  if (template === undefined) return "";
  if (says !== undefined) return `[template ${template.name}, ${template.language}]\n${says}`;
  const { name, language, params, components = [] } = template;
  const values = params === undefined ? components.flatMap(textsIn) : Object.values(params);
  return `[template ${name}, ${language}${values.length === 0 ? "" : `: ${values.join("; ")}`}]`;
}

const textsIn = (component: object): string[] =>
  itemsOf(component, "parameters").flatMap((value) => textOf(value, "text") ?? []);

interface Idempotency {
  key: string;
  digest: string;
}

function idempotencyOf({ idempotencyKey: key }: SendOrder, input: SendInput): Idempotency | undefined {
  if (key === undefined) return undefined;
  if (key.length > 255 || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalid("Idempotency-Key must be 1 to 255 ASCII characters without spaces.");
  }
  return { key, digest: credentialDigest(canonicalJson(input)) };
}

async function findQueued(
  tx: Query,
  { outbox }: GatewayTables,
  tenantId: string,
  { key, digest }: Idempotency,
): Promise<QueuedMessage | undefined> {
  const [row] = await tx
    .select({ id: outbox.id, status: outbox.status, digest: outbox.idempotencyDigest })
    .from(outbox)
    .where(and(eq(outbox.tenantId, tenantId), eq(outbox.idempotencyKey, key)));
  if (row === undefined) return undefined;
  if (row.digest === digest) return { message_id: row.id, status: row.status };
  throw new AppError(
    "conflict",
    "idempotency_key_reused",
    "This Idempotency-Key belongs to another message.",
    {
      details: { hint: "Send each message under a key of its own." },
    },
  );
}

/** The contract knows one status for a storage that fails. */
function storageFault(thrown: unknown): unknown {
  if (!(thrown instanceof AppError) || thrown.kind !== "unavailable") return thrown;
  if (thrown.code === "outbox_full" || thrown.code === "disk_reserved") return thrown;
  return new AppError("internal", thrown.code, "The message could not be stored; send it again.", {
    cause: thrown,
  });
}

const notFound = (message: string) => new AppError("not_found", "not_found", message);
const invalid = (message: string) => new AppError("invalid", "invalid_request", message);
