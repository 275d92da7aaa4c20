/** Whom a message came from and an answer goes to. A user without a phone number has an id that only this business knows. */
export interface Sender {
  kind: "phone" | "bsuid";
  address: string;
}

/** A message that a user wrote to our account. */
export interface InboundMessage {
  /** The provider's. */
  messageId: string;
  sender: Sender;
  contactName: string | undefined;
  /** `other_kind`: something that a user sent and that is no text. */
  request: "text" | "other_kind" | "too_long";
  text: string;
  /** Undefined when the provider doesn't say it in a form that we know. */
  sentAt: Date | undefined;
}

/** What became of a message that we sent. */
export interface SendStatus {
  /** What we gave along with the message. */
  token: string;
  status: string;
  /** The provider's error, with the status `failed`. */
  code: number | undefined;
}

/** What of a delivery nobody acts on; it is counted. */
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

/** What one delivery says. */
export interface Delivery {
  /** In order; the same id may stand in it twice. */
  messages: InboundMessage[];
  statuses: SendStatus[];
  ignored: Map<Ignored, number>;
}
