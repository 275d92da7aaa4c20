import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { MessageContent } from "../../../contracts/gateway/messages.ts";

/** Account that a message is sent from, with its credentials opened. */
export interface SendingAccount {
  id: string;
  tenantId: string;
  channel: ChannelName;
  externalId: string;
  credentials: Readonly<Record<string, string>>;
  emulated: boolean;
}

export interface OutgoingMessage extends MessageContent {
  /** The provider returns it with each receipt, where it can. */
  token: string;
  recipient: string;
}

/** What became of one try; `code` is the provider's error code or a word of our own. */
export type SendResult =
  | { action: "sent" }
  | {
      action: "retry";
      code: string;
      /** Wait that the provider asks for; undefined if it leaves the time to us. */
      waitMs?: number | undefined;
      /** Tries that this error allows, if fewer than usual. */
      triesMax?: number | undefined;
      /** True if all messages of the account must wait, not only those to this recipient. */
      isAccountWide: boolean;
    }
  /** The provider will never accept this message. */
  | { action: "final"; code: string }
  /** The provider accepts nothing from this account until its operator fixes the cause. */
  | { action: "pause"; code: string }
  /** The provider may have accepted it. */
  | { action: "unknown"; code: string };

/** A message that needs several calls, such as text and picture, may be accepted in part. */
export interface TryOutcome {
  result: SendResult;
  /** Calls that the provider accepted, those of earlier tries included. */
  partsDone: number;
  /** The provider's id of the last accepted call. */
  channelMessageId: string | undefined;
}

/** Sends through the providers. */
export interface MessageSender {
  /**
   * Makes one try, beginning after the calls in `partsDone`, and ends by its own time limit of 15 s a call. Never rejects for a fault of the
   * provider or the network.
   */
  send(account: SendingAccount, message: OutgoingMessage, partsDone: number): Promise<TryOutcome>;
  /** True if receipts of the channel tell of every message that its provider accepted. */
  hasReceipts(channel: ChannelName): boolean;
  /** Judges the code of a receipt of failure. */
  resultOfCode(channel: ChannelName, code: string): SendResult;
}
