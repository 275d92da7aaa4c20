import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { MessageContent } from "../../contracts/gateway/messages.ts";

/** Account that a message is sent from, with its credentials opened. */
export interface OutboxAccount {
  id: string;
  tenantId: string;
  channel: ChannelName;
  externalId: string;
  credentials: Readonly<Record<string, string>>;
  emulated: boolean;
}

export interface OutboxMessage extends MessageContent {
  /** The provider returns it with each receipt, where it can. */
  token: string;
  recipient: string;
}

/** Outcome of one call to the provider; `code` is the provider's error code or a word of our own, `message` its text without secrets. */
export type SendResult =
  | { action: "sent" }
  /** The provider accepted this call, and the message needs further ones. */
  | { action: "continue" }
  | {
      action: "retry";
      code: string;
      message?: string | undefined;
      /** Wait that the provider asks for; undefined if it leaves the time to us. */
      waitMs?: number | undefined;
      /** Tries that this error allows, if fewer than usual. */
      triesMax?: number | undefined;
      /** True if all messages of the account must wait, not only those to this recipient. */
      isAccountWide: boolean;
      /** True if the operator must be alerted. */
      alerts?: boolean;
    }
  /** The provider's rate allows no call yet, and none was made. */
  | { action: "paced"; waitMs: number }
  /** The provider will never accept this message. */
  | { action: "final"; code: string; message?: string | undefined }
  /** The provider accepts nothing from this account until its operator fixes the cause. */
  | { action: "pause"; code: string; message?: string | undefined }
  /** The provider may have accepted it. */
  | { action: "unknown"; code: string; message?: string | undefined };

export interface TryOutcome {
  result: SendResult;
  /** The provider's id of the call, if it accepted it. */
  channelMessageId: string | undefined;
  /** New address of the recipient, such as that of a group that became a supergroup. */
  movedTo?: string | undefined;
  /** The provider's own name for the recipient's address. */
  namedAs?: string | undefined;
}

/** Sends through the providers. */
export interface MessageSender {
  /**
   * Makes call number `part` of a message, the first being 0, and ends by its own time limit of 15 s. Never rejects for a fault of the
   * provider or the network.
   */
  send(account: OutboxAccount, message: OutboxMessage, part: number): Promise<TryOutcome>;
  /** Calls that a message needs. */
  partsOf(channel: ChannelName, message: OutboxMessage): readonly EchoedPart[];
  /** True if the provider tells of every message that it accepted. */
  hasReceipts(channel: ChannelName): boolean;
  /** Judges the code of a receipt of failure. */
  resultOfCode(channel: ChannelName, code: string, details?: string): SendResult;
}

/** One call of a message, as an echo shows it. */
export interface EchoedPart {
  /** Undefined for templates and for media without a caption. */
  text: string | undefined;
  hasMedia: boolean;
}

/** Marks that users see beside messages. A mark that fails is lost. */
export interface ChannelMarks {
  /** Marks a user's message as read; WhatsApp shows that an answer is coming, too. */
  markRead(account: OutboxAccount, recipient: string, channelMessageId: string): Promise<void>;
  /** Shows that an answer is coming. */
  showTyping(account: OutboxAccount, recipient: string): Promise<void>;
  /** Ends the waiting mark of a pressed button. */
  answerButton(account: OutboxAccount, callbackId: string): Promise<void>;
}
