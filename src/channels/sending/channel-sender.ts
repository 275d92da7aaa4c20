import type { Address } from "../inbound/inbound-event.ts";
import type { MessagePart, OutgoingMessage } from "./outgoing-message.ts";
import type { CallResult } from "./send-result.ts";

/** Sends the messages of one account. Each method makes one attempt and never throws. */
export interface ChannelSender {
  /** Returns the calls that a message needs. */
  parts(message: OutgoingMessage): MessagePart[];
  sendPart(message: OutgoingMessage, part: MessagePart): Promise<CallResult>;
  /** Marks a message as read and shows that an answer is coming; undefined if the provider has no such mark. */
  markRead?(to: Address, messageId: string): Promise<CallResult>;
  showTyping?(to: Address): Promise<CallResult>;
  /** Returns the name by which users mention the account; undefined if the provider doesn't tell. */
  ownName?(): Promise<string | undefined>;
  /** Ends the waiting mark of a pressed button. */
  answerButton?(callbackId: string): Promise<CallResult>;
  /** Asks the provider to deliver to `url` with `secret` in the deliveries. */
  registerWebhook?(url: string, secret: string): Promise<CallResult>;
}
