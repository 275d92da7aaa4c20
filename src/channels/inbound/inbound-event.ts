/**
 * Address that a message came from and that an answer goes to: a phone number, WhatsApp's id of a user without one or of a group, or another
 * provider's id. A topic of a Telegram group is `<chat>/<topic>`.
 */
export interface Address {
  kind: "phone" | "bsuid" | "group" | "id";
  address: string;
}

/** Conversation that a message belongs to. */
export interface ConversationRef {
  /** Answers go here. */
  address: Address;
  /** Identifies the conversation within the account. */
  key: string;
  isGroup: boolean;
}

/** File that a message contains or names. */
export interface InboundMedia {
  kind: "image" | "video" | "audio" | "document" | "sticker" | "link";
  /** The provider's id, by which the file is downloaded. */
  id?: string;
  /** Address from which the file is downloaded. */
  url?: string;
  mimeType?: string;
  /** Name without folders, control characters and leading dots. */
  fileName?: string;
  bytes?: number;
  isVoice?: boolean;
  /** The transcript of a voice message, or the reason why there is none. Both come after the delivery. */
  transcript?: string;
  transcriptError?: string;
  /** True if the provider doesn't let us download a file of this size. */
  isTooLarge?: boolean;
}

/** Advertisement, story or link that led to a message. */
export interface Referral {
  source: string;
  ref?: string;
  url?: string;
  title?: string;
}

export type MessageKind =
  | "text"
  | "image"
  | "video"
  | "audio"
  | "document"
  | "sticker"
  | "link"
  | "location"
  | "contact"
  | "button"
  | "order";

/** Contents of a message, without NUL characters and half surrogate pairs. */
export interface ReceivedContent {
  kind: MessageKind;
  /** Text, caption, title of a button, or a description of a location, contact or order; may be empty. */
  text: string;
  /** Payload of a button or form that the text does not show. */
  data?: string;
  /** A pressed button, a chosen row of a list, or an answered form. */
  reply?: MessageReply;
  media: InboundMedia[];
}

/** What a user pressed, chose or filled in; each provider sends some of these. */
export interface MessageReply {
  id?: string;
  title?: string;
  description?: string;
  payload?: string;
  /** Answers of a form, or the data of a button. */
  data?: string | Record<string, unknown>;
}

interface OfAccount {
  /** External id of the account. */
  account: string;
}

/** Whom a message of a group addresses: it mentions them, answers them, or is a command for them. */
export interface Addressed {
  /** Our account, beyond doubt. */
  us?: true;
  /** The provider's ids of users. */
  ids?: string[];
  /** User names in lower case. */
  names?: string[];
}

/** A message from a user, which an agent may answer. */
export interface MessageEvent extends OfAccount, ReceivedContent {
  type: "message";
  /** Equal for each delivery of the same message; unique within the account. */
  dedupeKey: string;
  /** The provider's id. */
  messageId: string;
  conversation: ConversationRef;
  sender: Address;
  /** The sender's other address, if the provider sends two. */
  senderAlias?: Address;
  /** Number that the provider itself states for the sender, with `+`. */
  senderPhone?: string;
  /** Name of the person, or of the group. */
  contactName?: string;
  /** In a group: name of the person who writes, or their address. */
  speaker?: string;
  /** In a group: whom the message addresses. */
  addresses?: Addressed;
  /** Undefined if the provider's value is missing or has an unknown format. */
  sentAt: Date | undefined;
  /** Id of the message that this one replies to. */
  replyTo?: string;
  isForwarded: boolean;
  referral?: Referral;
  /** The provider's name of the album that its file is of. */
  album?: string;
  /** Ids of the messages that it was joined with, and when the last of them arrived. */
  joined?: string[];
  joinedAt?: string;
  /** Id of the message that it became part of. */
  joinedTo?: string;
  /** Id of a pressed button, which must be answered by `answerButton`. */
  callbackId?: string;
}

/** Delivery status of a message that we sent. Statuses arrive in any order, and some never arrive. */
export interface StatusEvent extends OfAccount {
  type: "status";
  dedupeKey: string;
  /** The provider's id of our message. */
  messageId: string;
  /** `other` is a status that this version does not know. */
  status: "sent" | "delivered" | "read" | "played" | "failed" | "other";
  /** Token that we sent with the message. */
  token?: string;
  recipient?: Address;
  /** The recipient's other address, if the provider sends two. */
  recipientAlias?: Address;
  at: Date | undefined;
  error?: { code: number | undefined; title?: string; details?: string };
}

/** A message that our account sent: through us, another program or the provider's own app. No agent may answer it. */
export interface EchoEvent extends OfAccount, ReceivedContent {
  type: "echo";
  dedupeKey: string;
  messageId: string;
  recipient: Address;
  /** The recipient's other address, if the provider sends two. */
  recipientAlias?: Address;
  sentAt: Date | undefined;
}

/** A phone number that the provider verified, because its owner shared their own contact. */
export interface IdentityEvent extends OfAccount {
  type: "identity";
  dedupeKey: string;
  address: Address;
  /** With `+`. */
  phone: string;
  at: Date | undefined;
}

/** A user or group has a new address. A number that was verified for the old one is no longer valid. */
export interface MovedEvent extends OfAccount {
  type: "moved";
  dedupeKey: string;
  from: Address;
  to: Address;
  at: Date | undefined;
}

/** A user's reaction to a message, which replaces the reaction before. Reactions arrive in any order, and may arrive again. */
export interface ReactionEvent extends OfAccount {
  type: "reaction";
  dedupeKey: string;
  /** Person or chat that reacts. */
  address: Address;
  /** The provider's id of the message. */
  about: string;
  /** Chat of the message, on channels whose message ids are unique within a chat only. */
  chat?: string;
  /** Emoji, or the provider's name of the reaction; undefined if the reaction was removed. */
  emoji?: string;
  at: Date | undefined;
}

/** A user blocked our account or allows it to write again. */
export interface ReachableEvent extends OfAccount {
  type: "reachable";
  dedupeKey: string;
  address: Address;
  isReachable: boolean;
  at: Date | undefined;
}

export type IgnoredReason =
  /** Not for messaging. */
  | "other_object"
  | "other_field"
  | "unknown_event"
  | "unknown_kind"
  | "malformed"
  /** The sender is our own account or another bot, or there is none. */
  | "own"
  | "bot"
  | "no_sender"
  | "channel_post"
  | "business"
  /** Another application answers this conversation. */
  | "standby"
  /** Reports about earlier messages. */
  | "edit"
  | "revoke"
  | "reaction"
  | "system"
  | "unsupported"
  | "service"
  | "membership"
  | "empty"
  | "referral"
  | "optin"
  | "provider_error";

/** A part of a delivery that no agent answers. `record` is what a ledger can show of it. */
export interface IgnoredEvent {
  type: "ignored";
  reason: IgnoredReason;
  /** Undefined if the part names no account. */
  account: string | undefined;
  record?: IgnoredRecord;
}

export interface IgnoredRecord {
  dedupeKey: string;
  address?: Address;
  /** Earlier message that this one changes, withdraws or reacts to. */
  about?: string;
  /** New text of an edited message, the emoji of a reaction, or the text of an unanswered message. */
  text?: string;
  /** The provider's code of an error. */
  code?: number;
  at: Date | undefined;
}

export type InboundEvent =
  | MessageEvent
  | StatusEvent
  | EchoEvent
  | IdentityEvent
  | MovedEvent
  | ReactionEvent
  | ReachableEvent
  | IgnoredEvent;

/** Result of reading a delivery: its events in order, or why the body is not a delivery at all. */
export type DeliveryReading = { events: InboundEvent[] } | { unreadable: string };
