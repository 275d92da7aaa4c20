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

/** Result of sending a message; `providerIds` are those of the parts that the provider accepted, also before. */
export type SendResult = CallResult & { providerIds: string[]; partsDone: number };

/** Progress of a message of which some parts were sent. */
export interface SendProgress {
  partsDone: number;
  providerIds: readonly string[];
}

/**
 * Sends the parts of a message in order, starting after those of `progress`, and stops at the first that is not accepted. With the result
 * as the next progress, no part is sent twice.
 */
export async function sendMessage(
  sender: ChannelSender,
  message: OutgoingMessage,
  progress: SendProgress = { partsDone: 0, providerIds: [] },
): Promise<SendResult> {
  const providerIds = [...progress.providerIds];
  let { partsDone } = progress;
  let current = message;
  let last: CallResult = { outcome: "accepted", providerId: undefined };
  for (const part of sender.parts(message).slice(partsDone)) {
    const result = await sender.sendPart(current, part);
    if (result.outcome !== "accepted") return { ...result, providerIds, partsDone };
    partsDone++;
    if (result.providerId !== undefined) providerIds.push(result.providerId);
    if (result.movedTo !== undefined) current = { ...current, to: result.movedTo };
    last = current.to === message.to ? result : { ...result, movedTo: current.to };
  }
  return { ...last, providerIds, partsDone };
}
