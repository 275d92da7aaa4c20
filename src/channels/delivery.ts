/** Address that a message came from and that the answer goes to. A user without a phone number has an id known to this business only. */
export interface Sender {
  kind: "phone" | "bsuid";
  address: string;
}

/** A message from a user to our account. */
export interface InboundMessage {
  /** The provider's id. */
  messageId: string;
  sender: Sender;
  contactName: string | undefined;
  /** `other_kind` is any message without text, such as a picture. */
  request: "text" | "other_kind" | "too_long";
  text: string;
  /** Undefined if the provider's value is missing or has an unknown format. */
  sentAt: Date | undefined;
}

/** A user's reaction to a message, which replaces the one before. */
export interface DeliveredReaction {
  /** The provider's id of the message. */
  about: string;
  /** Undefined if the reaction was removed. */
  emoji: string | undefined;
  at: Date | undefined;
}

/** Delivery status of a message that we sent. */
export interface SendStatus {
  /** Token that we sent with the message. */
  token: string;
  status: string;
  /** The provider's error code, with the status `failed`. */
  code: number | undefined;
}

/** Reasons why an entry of a delivery is ignored; each is counted. */
export type Ignored =
  | "status"
  | "other_object"
  | "other_field"
  | "unknown_account"
  | "own"
  | "group"
  | "event"
  | "unknown_kind"
  | "malformed";

/** Contents of one delivery. */
export interface Delivery {
  /** In order; the same id may occur twice. */
  messages: InboundMessage[];
  statuses: SendStatus[];
  reactions: DeliveredReaction[];
  ignored: Map<Ignored, number>;
}
