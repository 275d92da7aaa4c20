import type { InboundEvent, MessageEvent, StatusEvent } from "../../../channels/inbound/inbound-event.ts";
import { readStrictDelivery } from "../../../channels/inbound/read-delivery-json.ts";
import { firstOfEach } from "../../../channels/inbox/admit-new.ts";
import { inboundRow, storedEvent } from "../../../channels/inbox/event-row.ts";
import { type InboxRoom, keepEvents } from "../../../channels/inbox/keep-events.ts";
import type { InboxRow } from "../../../channels/inbox/schema.ts";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import { readWhatsAppDelivery } from "../../../channels/whatsapp/read-events.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { countSteps, inPieces, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Query } from "../../../storage/storage.ts";
import type { AnswerReactions } from "./answer-reactions.ts";
import type { ChannelMetrics } from "./channel-metrics.ts";
import { countUnanswered } from "./count-unanswered.ts";
import { forgotten } from "./forget-event.ts";
import type { ChannelAccount, ChannelStorage } from "./schema.ts";
import { limitSenders, type SenderLimitRule } from "./sender-limit.ts";

/** A new message within its sender's limit. */
export interface NewDeliveryMessage {
  tenant: string;
  channel: string;
  account: string;
  from: string;
  kind: string;
  text: string;
  messageId: string;
}

/** Told of each new message, in the transaction that stores it. */
export type MessageArrived = (tx: Query, message: NewDeliveryMessage) => Promise<void>;

export interface ChannelReceivePorts {
  storage: ChannelStorage;
  account: ChannelAccount;
  limit: SenderLimitRule;
  reactions: Pick<AnswerReactions, "record">;
  inboundBell: OutboxBell;
  arrived: MessageArrived;
  metrics: ChannelMetrics;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** Maximum number of messages that wait for an answer or its sending. Further deliveries are refused, and the provider delivers them again. */
const openMax = 10_000;
/**
 * Messages older than this are stored and acknowledged, but get no answer: the provider accepts free-form replies only within 24 hours of the
 * user's message. So a replayed old delivery starts nothing.
 */
export const answerableMs = 24 * 60 * 60_000;
/** Building a row takes up to 10 µs. */
const stepsOfRow = 1000;

/**
 * Stores the messages and statuses of a delivery whose sender is known to be genuine, and records its reactions. Returns the number of messages
 * that are stored now. Throws `invalid_request` (400) for a body that is not JSON, and `too_busy` (503).
 */
export async function receiveDelivery(
  ports: ChannelReceivePorts,
  body: Uint8Array,
): Promise<{ queued: number }> {
  const { storage, account, reactions, inboundBell, metrics, clock, newId } = ports;
  const { channel } = account;
  const now = clock.now();
  const messages: InboxRow[] = [];
  const statuses: InboxRow[] = [];
  for (const event of await read(ports, body)) {
    const ignored = ignoredAs(event, account.id);
    if (ignored !== undefined) metrics.ignored(channel, ignored);
    const isOurs = event.account === account.id;
    if (isOurs && event.type === "reaction") metrics.messages(`reaction_${await reactions.record(event)}`);
    else if (isOurs && isOfOurMessage(event)) {
      noteUndelivered(ports, event);
      statuses.push(inboundRow(event, account, { proof: "hmac-sha256", now }, newId));
    } else if (ignored === undefined && event.type === "message")
      messages.push(messageRow(ports, event, now));
    if (countSteps(stepsOfRow)) await othersTurn();
  }
  const isStored = await keepMessages(ports, messages, now);
  // Receipts make room, so none is refused for want of it.
  if (statuses.length > 0) await keepEvents(storage, firstOfEach(statuses, keyOf), unbounded);
  inboundBell.ring();
  const queued = messages.filter(isStored).length;
  if (queued < messages.length) {
    metrics.delivered(channel, "full");
    throw queueFull(queued, messages.length);
  }
  metrics.delivered(channel, "accepted");
  return { queued };
}

const keyOf = ({ dedupeKey }: InboxRow) => dedupeKey;

async function read({ account, metrics }: ChannelReceivePorts, body: Uint8Array): Promise<InboundEvent[]> {
  try {
    const reading = await inPieces(readWhatsAppDelivery(body, readStrictDelivery));
    return "events" in reading ? reading.events : [];
  } catch (thrown) {
    metrics.delivered(account.channel, "unreadable");
    throw thrown;
  }
}

/** Stores new messages in order while there is room, within their senders' limits. Returns which ones are stored, now or before. */
async function keepMessages(
  { storage, limit, metrics, account, arrived }: ChannelReceivePorts,
  messages: readonly InboxRow[],
  now: Date,
): Promise<(row: InboxRow) => boolean> {
  const { tables } = storage;
  const distinct = firstOfEach(messages, keyOf);
  if (distinct.length === 0) return () => true;
  const room: InboxRoom = {
    isAmple: (open, ample) => open + ample <= openMax / 2,
    take: async (tx, _, wanted) =>
      Math.min(wanted, Math.max(0, openMax - (await countUnanswered(tx, tables)))),
  };
  let limited = 0;
  const { known, added } = await keepEvents(storage, distinct, room, async (tx, ids) => {
    const fresh = distinct.filter(({ id, state }) => ids.has(id) && state === "waiting");
    if (fresh.length === 0) return;
    const beyond = await limitSenders(tx, tables, fresh, limit, now);
    limited = beyond.size;
    for (const row of fresh) if (!beyond.has(row.id)) await arrived(tx, messageOf(row));
  });
  const isAdded = new Set(distinct.filter(({ id }) => added.has(id)).map(keyOf));
  const isStored = (row: InboxRow) => isAdded.has(keyOf(row)) || known.has(`${account.id}:${keyOf(row)}`);
  metrics.stored(account.channel, added.size, messages.filter(isStored).length - added.size);
  metrics.messages("limited", limited);
  metrics.messages(
    "stale",
    distinct.filter(({ id, outcome }) => added.has(id) && outcome === "stale").length,
  );
  return isStored;
}

function messageOf(row: InboxRow): NewDeliveryMessage {
  const event = storedEvent(row);
  const { sender, kind = "", text = "" } = event.type === "message" ? event : {};
  return {
    tenant: row.tenantId,
    channel: row.channel,
    account: row.accountId,
    from: sender?.address ?? "",
    kind,
    text,
    messageId: row.channelMessageId ?? row.dedupeKey,
  };
}

const unbounded: InboxRoom = { isAmple: () => true, take: async (_tx, _tenant, wanted) => wanted };

/** What a message leaves behind once it is closed is its id. */
function messageRow({ account, newId }: ChannelReceivePorts, event: MessageEvent, now: Date): InboxRow {
  const row = inboundRow(event, account, { proof: "hmac-sha256", now, staleMs: answerableMs }, newId);
  return row.state === "done" ? { ...row, ...forgotten } : row;
}

/** Reasons that are counted by their own names. */
const reasons: ReadonlySet<string> = new Set([
  "other_object",
  "other_field",
  "own",
  "unknown_kind",
  "malformed",
]);

/** Returns the name under which an event is counted as ignored; undefined for users' messages and reactions. */
function ignoredAs(event: InboundEvent, account: string): string | undefined {
  if (event.type === "ignored" && event.reason.startsWith("other_")) return event.reason;
  // What the business writes in its own app comes under a field of its own.
  if (event.type === "echo") return "other_field";
  if (event.account !== undefined && event.account !== account) return "unknown_account";
  switch (event.type) {
    case "message":
      // An answer would go to the whole group.
      if (event.conversation.isGroup) return "group";
      return event.kind === "text" && event.text.trim() === "" ? "malformed" : undefined;
    case "reaction":
      return undefined;
    case "status":
      return "status";
    case "ignored":
      return reasons.has(event.reason) ? event.reason : "event";
    default:
      return "event";
  }
}

/** True for the status of a message with our token; other programs may send from the account too. */
const isOfOurMessage = (event: InboundEvent): event is StatusEvent =>
  event.type === "status" && event.token !== undefined;

function noteUndelivered(
  { metrics, log }: ChannelReceivePorts,
  { status, token = "", error }: StatusEvent,
): void {
  if (status !== "failed") return;
  // Our own token, unless another program sends from this account.
  const message = /^[\w-]{1,64}(?:\.\d{1,2})?$/.test(token) ? token : undefined;
  metrics.messages("undelivered");
  log.warn("channel.undelivered", { message, code: error?.code });
}

const queueFull = (queued: number, total: number) =>
  new AppError(
    "unavailable",
    "too_busy",
    `${openMax} messages wait for an answer. Deliver the rest again later.`,
    { details: { retryAfterSeconds: 60, facts: { queued, total } } },
  );
