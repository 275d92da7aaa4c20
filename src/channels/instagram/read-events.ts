import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import {
  addressOf,
  digestKey,
  idOf,
  instantOf,
  present,
  reactionName,
  storableOf,
} from "../inbound/delivered-text.ts";
import type {
  Address,
  DeliveryReading,
  IgnoredReason,
  InboundEvent,
  MessageEvent,
  Referral,
} from "../inbound/inbound-event.ts";
import { readDeliveryJson } from "../inbound/read-delivery-json.ts";
import { fieldOf, itemsOf } from "../json-fields.ts";
import { readContent } from "./message-content.ts";

/** Reading one item, with the memory for its event and a digest for a key. */
const stepsPerItem = 500;

/** Reads a delivery, which may contain events of many accounts. */
export function* readInstagramDelivery(body: Uint8Array): Work<DeliveryReading> {
  const read = yield* readDeliveryJson(body);
  if ("unreadable" in read) return read;
  if (fieldOf(read.document, "object") !== "instagram") {
    return { events: [{ type: "ignored", reason: "other_object", account: undefined }] };
  }
  const events: InboundEvent[] = [];
  for (const entry of itemsOf(read.document, "entry")) {
    if (countSteps(stepsPerItem)) yield;
    const account = idOf(entry, "id");
    if (account === undefined) {
      events.push({ type: "ignored", reason: "malformed", account });
      continue;
    }
    for (const item of itemsOf(entry, "messaging")) {
      if (countSteps(stepsPerItem)) yield;
      events.push(readItem(item, account));
    }
    for (const item of itemsOf(entry, "standby")) {
      if (countSteps(stepsPerItem)) yield;
      events.push(onStandby(readItem(item, account)));
    }
    // Test deliveries of the provider's dashboard.
    for (const change of itemsOf(entry, "changes")) {
      if (countSteps(stepsPerItem)) yield;
      const isMessages = fieldOf(change, "field") === "messages";
      events.push(
        isMessages
          ? readItem(fieldOf(change, "value"), account)
          : { type: "ignored", reason: "other_field", account },
      );
    }
  }
  return { events };
}

/** Another application answers the conversation, so no agent may. */
function onStandby(event: InboundEvent): InboundEvent {
  if (event.type !== "message") return event;
  const { account, dedupeKey, sender, text, sentAt } = event;
  const record = { dedupeKey, address: sender, text, at: sentAt };
  return { type: "ignored", reason: "standby", account, record };
}

/** One item of `messaging`. */
interface Item {
  account: string;
  sender: Address;
  recipient: Address | undefined;
  at: Date | undefined;
}

function readItem(value: unknown, account: string): InboundEvent {
  const sender = addressOf("id", idOf(fieldOf(value, "sender"), "id"));
  const recipient = addressOf("id", idOf(fieldOf(value, "recipient"), "id"));
  if (sender === undefined) return { type: "ignored", reason: "malformed", account };
  const item = { account, sender, recipient, at: instantOf(fieldOf(value, "timestamp")) };
  const message = fieldOf(value, "message");
  if (message !== undefined) return readMessage(message, value, item);
  const postback = fieldOf(value, "postback");
  if (postback !== undefined) return readPostback(postback, item);
  const read = fieldOf(value, "read");
  if (read !== undefined) return readSeen(read, item);
  return readReport(value, item);
}

function readMessage(message: unknown, value: unknown, item: Item): InboundEvent {
  const { account, sender, recipient, at } = item;
  const mid = idOf(message, "mid");
  if (mid === undefined) return { type: "ignored", reason: "malformed", account };
  if (fieldOf(message, "is_deleted") === true) return ignored("revoke", item, mid, { about: mid });
  const content = readContent(message);
  if (fieldOf(message, "is_echo") === true || sender.address === account) {
    if (recipient === undefined) return ignored("own", item, mid, {});
    const body = content ?? { kind: "text" as const, text: "", media: [] };
    return { type: "echo", account, dedupeKey: mid, messageId: mid, recipient, sentAt: at, ...body };
  }
  if (fieldOf(message, "is_unsupported") === true) return ignored("unsupported", item, mid, {});
  if (content === undefined) return ignored("empty", item, mid, {});
  const replied = fieldOf(message, "reply_to");
  const referral =
    referralOf(fieldOf(message, "referral") ?? fieldOf(value, "referral")) ??
    storyOf(fieldOf(replied, "story"));
  return {
    ...messageEvent(mid, mid, item),
    ...content,
    ...present({ replyTo: idOf(replied, "mid"), referral }),
  };
}

/** A pressed button. Older versions of the API give it no id. */
function readPostback(postback: unknown, item: Item): InboundEvent {
  if (item.sender.address === item.account) return { type: "ignored", reason: "own", account: item.account };
  const payload = storableOf(postback, "payload");
  const title = storableOf(postback, "title");
  const mid =
    idOf(postback, "mid") ?? digestKey("postback", item.sender.address, item.at?.toISOString(), payload);
  return {
    ...messageEvent(mid, mid, item),
    kind: "button",
    text: title ?? payload ?? "",
    media: [],
    reply: present({ title, payload }),
    ...present({ data: payload, referral: referralOf(fieldOf(postback, "referral")) }),
  };
}

function messageEvent(
  dedupeKey: string,
  messageId: string,
  { account, sender, at }: Item,
): Omit<MessageEvent, "kind" | "text" | "media"> {
  return {
    type: "message",
    account,
    dedupeKey,
    messageId,
    conversation: { address: sender, key: sender.address, isGroup: false },
    sender,
    sentAt: at,
    isForwarded: false,
  };
}

function readSeen(read: unknown, item: Item): InboundEvent {
  const { account, sender, at } = item;
  const mid = idOf(read, "mid");
  if (mid === undefined) return { type: "ignored", reason: "unknown_event", account };
  const dedupeKey = `${mid}:read`;
  return { type: "status", account, dedupeKey, messageId: mid, status: "read", recipient: sender, at };
}

/** Reads an event that reports about an earlier message or the user. */
function readReport(value: unknown, item: Item): InboundEvent {
  const reaction = fieldOf(value, "reaction");
  if (reaction !== undefined) {
    return readReaction(reaction, item);
  }
  const edit = fieldOf(value, "message_edit");
  if (edit !== undefined) {
    const about = idOf(edit, "mid");
    const text = storableOf(edit, "text");
    return ignored("edit", item, keyOf("edit", item, about, text), { about, text });
  }
  for (const reason of ["referral", "optin"] as const) {
    const report = fieldOf(value, reason);
    if (report === undefined) continue;
    const text = storableOf(report, "ref") ?? storableOf(report, "payload");
    return ignored(reason, item, keyOf(reason, item, text), { text });
  }
  return { type: "ignored", reason: "unknown_event", account: item.account };
}

/** `react` sets the user's reaction to a message, `unreact` removes it. */
function readReaction(reaction: unknown, item: Item): InboundEvent {
  const { account, sender, at } = item;
  const about = idOf(reaction, "mid");
  const action = storableOf(reaction, "action");
  const name = reactionName(reaction, "emoji") ?? reactionName(reaction, "reaction");
  const dedupeKey = keyOf("reaction", item, about, action, name);
  const isKnown = action === "unreact" || (action === "react" && name !== undefined);
  if (about === undefined || !isKnown || sender.address === account)
    return ignored("reaction", item, dedupeKey, { about, text: name });
  const emoji = action === "react" ? name : undefined;
  return { type: "reaction", account, dedupeKey, address: sender, about, at, ...present({ emoji }) };
}

const keyOf = (prefix: string, { sender, at }: Item, ...parts: (string | undefined)[]) =>
  digestKey(prefix, sender.address, at?.toISOString(), ...parts);

function ignored(
  reason: IgnoredReason,
  { account, sender, at }: Item,
  dedupeKey: string,
  more: { about?: string | undefined; text?: string | undefined },
): InboundEvent {
  return { type: "ignored", reason, account, record: { dedupeKey, address: sender, at, ...present(more) } };
}

function referralOf(referral: unknown): Referral | undefined {
  if (typeof referral !== "object" || referral === null) return undefined;
  return {
    source: storableOf(referral, "source") ?? storableOf(referral, "type") ?? "unknown",
    ...present({
      ref: storableOf(referral, "ref") ?? storableOf(referral, "ad_id"),
      url: storableOf(referral, "referer_uri"),
    }),
  };
}

function storyOf(story: unknown): Referral | undefined {
  if (typeof story !== "object" || story === null) return undefined;
  return { source: "story", ...present({ ref: idOf(story, "id"), url: storableOf(story, "url") }) };
}
