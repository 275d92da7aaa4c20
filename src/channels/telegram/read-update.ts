import type { Work } from "../../kit/concurrency/others-turn.ts";
import {
  addressOf,
  idOf,
  instantOf,
  phoneOf,
  present,
  reactionName,
  shownName,
  storableOf,
} from "../inbound/delivered-text.ts";
import type {
  Address,
  DeliveryReading,
  IgnoredReason,
  InboundEvent,
  MessageEvent,
} from "../inbound/inbound-event.ts";
import { ratingOf } from "../inbound/reaction-rating.ts";
import { readDeliveryJson } from "../inbound/read-delivery-json.ts";
import { fieldOf, itemsOf, textOf } from "../json-fields.ts";
import { readAddressed, repliedMessage } from "./addressed.ts";
import { readContent } from "./message-content.ts";
import { chatAddress, chatOf } from "./topic-address.ts";

/** An update of one account, which the webhook's address names. */
interface Update {
  account: string;
  id: string;
}

type ReadKind = (body: unknown, update: Update) => InboundEvent[];

const ignoring =
  (reason: IgnoredReason): ReadKind =>
  (body, update) => [ignored(reason, body, update)];

/** Kinds of updates; at most one of them is present. */
const kinds: readonly (readonly [field: string, read: ReadKind])[] = [
  ["message", readUserMessage],
  ["edited_message", ignoring("edit")],
  ["callback_query", readPressedButton],
  ["my_chat_member", readMembership],
  ["channel_post", ignoring("channel_post")],
  ["edited_channel_post", ignoring("channel_post")],
  ["business_message", ignoring("business")],
  ["edited_business_message", ignoring("business")],
  ["deleted_business_messages", ignoring("business")],
  ["business_connection", ignoring("business")],
  ["message_reaction", readReaction],
  ["message_reaction_count", ignoring("reaction")],
  ["chat_member", ignoring("membership")],
];

/** Fields of messages that report what happened in a chat. */
const serviceFields = [
  "new_chat_members",
  "left_chat_member",
  "new_chat_title",
  "new_chat_photo",
  "delete_chat_photo",
  "group_chat_created",
  "supergroup_chat_created",
  "channel_chat_created",
  "message_auto_delete_timer_changed",
  "pinned_message",
  "successful_payment",
  "users_shared",
  "chat_shared",
  "write_access_allowed",
  "video_chat_started",
  "video_chat_ended",
  "forum_topic_created",
];

/** Reads one update of the Bot API for `account`. A body without `update_id` is not an update. */
export function* readTelegramDelivery(body: Uint8Array, account: string): Work<DeliveryReading> {
  const read = yield* readDeliveryJson(body);
  if ("unreadable" in read) return read;
  const { document } = read;
  const updateId = fieldOf(document, "update_id");
  if (updateId === undefined) return { unreadable: "update_id is missing: the body is not an update." };
  if (typeof updateId !== "number" || !Number.isSafeInteger(updateId)) {
    return { events: [{ type: "ignored", reason: "malformed", account }] };
  }
  const update = { account, id: String(updateId) };
  for (const [field, readKind] of kinds) {
    const found = fieldOf(document, field);
    if (typeof found === "object" && found !== null) return { events: readKind(found, update) };
  }
  return { events: [{ type: "ignored", reason: "unknown_event", account }] };
}

function readUserMessage(message: unknown, update: Update): InboundEvent[] {
  const { account } = update;
  const chat = fieldOf(message, "chat");
  const address = chatAddress(message);
  const messageId = idOf(message, "message_id");
  if (address === undefined || messageId === undefined) return [ignored("malformed", message, update)];
  const dedupeKey = `${chatOf(address.address)}:${messageId}`;
  const sentAt = instantOf(fieldOf(message, "date"));
  const moved = movedChat(message, address);
  if (moved !== undefined) return [{ type: "moved", account, dedupeKey, ...moved, at: sentAt }];
  const chatType = textOf(chat, "type");
  if (chatType === "channel") return [ignored("channel_post", message, update)];
  const from = fieldOf(message, "from");
  const sender = addressOf("id", idOf(from, "id"));
  if (sender === undefined) return [ignored("no_sender", message, update)];
  // Another bot would answer our answer.
  if (fieldOf(from, "is_bot") === true) return [ignored("bot", message, update)];
  const content = readContent(message);
  if (content === undefined) {
    const isService = serviceFields.some((field) => fieldOf(message, field) !== undefined);
    return [ignored(isService ? "service" : "unknown_kind", message, update)];
  }
  const event: MessageEvent = {
    type: "message",
    account,
    dedupeKey,
    messageId,
    conversation: { address, key: address.address, isGroup: chatType !== "private" },
    sender,
    sentAt,
    ...(chatType !== "private" && { addresses: readAddressed(message) }),
    isForwarded: isForwarded(message),
    ...content,
    ...present({
      ...namesOf(chat, from, sender),
      replyTo: idOf(repliedMessage(message), "message_id"),
      album: textOf(message, "media_group_id"),
      referral: startedFrom(content.text),
    }),
  };
  const phone = verifiedPhone(message, event);
  if (phone === undefined) return [event];
  return [{ type: "identity", account, dedupeKey, address: sender, phone, at: sentAt }, event];
}

/** Both the old and the new group report that the group moved. */
function movedChat(message: unknown, chat: Address): { from: Address; to: Address } | undefined {
  const to = addressOf("id", idOf(message, "migrate_to_chat_id"));
  if (to !== undefined) return { from: chat, to };
  const from = addressOf("id", idOf(message, "migrate_from_chat_id"));
  return from && { from, to: chat };
}

/** The provider states whose contact it is. In a private chat, the sender's own and not forwarded, it proves their number. */
function verifiedPhone(message: unknown, event: MessageEvent): string | undefined {
  const contact = fieldOf(message, "contact");
  const isOwn = idOf(contact, "user_id") === event.sender.address;
  const isPrivate =
    !event.conversation.isGroup && event.conversation.address.address === event.sender.address;
  if (!isOwn || !isPrivate || event.isForwarded) return undefined;
  return phoneOf(idOf(contact, "phone_number"));
}

function isForwarded(message: unknown): boolean {
  return ["forward_origin", "forward_from", "forward_from_chat", "forward_sender_name", "forward_date"].some(
    (field) => fieldOf(message, field) !== undefined,
  );
}

/** Parameter of the link by which a user started the bot: `/start REF`. */
function startedFrom(text: string): { source: string; ref: string } | undefined {
  const ref = /^\/start(?:@\w{1,64})? ([\w-]{1,64})$/.exec(text.slice(0, 256))?.[1];
  return ref === undefined ? undefined : { source: "start", ref };
}

/** In a group, the conversation has the group's name, and each message the speaker's. */
function namesOf(chat: unknown, from: unknown, sender: Address) {
  const type = textOf(chat, "type");
  if (type === undefined || type === "private") return { contactName: nameOf(from) };
  return { contactName: shownName(textOf(chat, "title")), speaker: nameOf(from) ?? sender.address };
}

function nameOf(user: unknown): string | undefined {
  const names = [textOf(user, "first_name"), textOf(user, "last_name")];
  return shownName(names.filter((name) => name !== undefined).join(" "));
}

function readPressedButton(query: unknown, update: Update): InboundEvent[] {
  const { account, id } = update;
  const from = fieldOf(query, "from");
  const sender = addressOf("id", idOf(from, "id"));
  const callbackId = idOf(query, "id");
  if (sender === undefined || callbackId === undefined) return [ignored("malformed", query, update)];
  if (fieldOf(from, "is_bot") === true) return [ignored("bot", query, update)];
  const message = fieldOf(query, "message");
  const chat = fieldOf(message, "chat");
  const chatType = textOf(chat, "type");
  // The message is missing when it was sent through inline mode; its sender is then the private chat.
  const address = chatAddress(message) ?? sender;
  const isGroup = chatType !== undefined && chatType !== "private";
  const data = storableOf(query, "data");
  const title = pressedTitle(message, data);
  return [
    {
      type: "message",
      account,
      dedupeKey: `u:${id}`,
      messageId: callbackId,
      conversation: { address, key: address.address, isGroup },
      sender,
      // The button is ours.
      ...(isGroup && { addresses: { us: true } }),
      // The date of the message with the button says nothing about the press.
      sentAt: undefined,
      isForwarded: false,
      kind: "button",
      text: title ?? data ?? "",
      media: [],
      reply: present({ title, data }),
      callbackId,
      ...present({ data, ...namesOf(chat, from, sender), replyTo: idOf(message, "message_id") }),
    },
  ];
}

/** Title of the button with this data. */
function pressedTitle(message: unknown, data: string | undefined): string | undefined {
  if (data === undefined) return undefined;
  for (const row of itemsOf(fieldOf(message, "reply_markup"), "inline_keyboard").slice(0, 100)) {
    if (!Array.isArray(row)) continue;
    for (const button of row.slice(0, 100)) {
      if (storableOf(button, "callback_data") === data) return storableOf(button, "text");
    }
  }
  return undefined;
}

/** Reactions of one person that are read; bots see at most three. */
const reactionsMax = 16;

/** The person's reactions to a message after a change. Of several, the first that rates the message counts. */
function readReaction(change: unknown, update: Update): InboundEvent[] {
  const { account, id } = update;
  const chat = addressOf("id", idOf(fieldOf(change, "chat"), "id"));
  const about = idOf(change, "message_id");
  const user = fieldOf(change, "user");
  // Anonymous administrators react as their chat.
  const address =
    addressOf("id", idOf(user, "id")) ?? addressOf("id", idOf(fieldOf(change, "actor_chat"), "id"));
  if (chat === undefined || about === undefined || address === undefined) {
    return [ignored("reaction", change, update)];
  }
  if (fieldOf(user, "is_bot") === true) return [ignored("bot", change, update)];
  const names = itemsOf(change, "new_reaction")
    .slice(0, reactionsMax)
    .map((reaction) => reactionName(reaction, "emoji") ?? reactionName(reaction, "type"))
    .filter((name) => name !== undefined);
  const emoji = names.find((name) => ratingOf(name) !== undefined) ?? names[0];
  const at = instantOf(fieldOf(change, "date"));
  const dedupeKey = `u:${id}`;
  return [
    {
      type: "reaction",
      account,
      dedupeKey,
      address,
      about,
      chat: chat.address,
      at,
      ...present({ emoji }),
    },
  ];
}

const absent: ReadonlySet<string> = new Set(["kicked", "left"]);
const member: ReadonlySet<string> = new Set(["member", "administrator", "creator", "restricted"]);

/** Our own membership of a chat: a user who blocks the bot kicks it. */
function readMembership(change: unknown, update: Update): InboundEvent[] {
  const address = addressOf("id", idOf(fieldOf(change, "chat"), "id"));
  const status = textOf(fieldOf(change, "new_chat_member"), "status") ?? "";
  if (address === undefined || !(absent.has(status) || member.has(status))) {
    return [ignored("membership", change, update)];
  }
  return [
    {
      type: "reachable",
      account: update.account,
      dedupeKey: `u:${update.id}`,
      address,
      isReachable: member.has(status),
      at: instantOf(fieldOf(change, "date")),
    },
  ];
}

function ignored(reason: IgnoredReason, body: unknown, { account, id }: Update): InboundEvent {
  const record = {
    dedupeKey: `u:${id}`,
    at: instantOf(fieldOf(body, "edit_date") ?? fieldOf(body, "date")),
    ...present({
      address: addressOf("id", idOf(fieldOf(body, "chat"), "id")),
      about: reason === "edit" || reason === "reaction" ? idOf(body, "message_id") : undefined,
      text: storableOf(body, "text") ?? storableOf(body, "caption"),
    }),
  };
  return { type: "ignored", reason, account, record };
}
