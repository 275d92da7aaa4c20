import type { Logger } from "../../kit/log.ts";
import type { CallResult } from "../sending/send-result.ts";
import { addressOf, type SenderOf } from "./channel-senders.ts";
import type { ChannelMarks } from "./message-sender.ts";

/** Sets marks through the channels' providers. A channel without such a mark sets none. */
export function createChannelMarks(senderOf: SenderOf, log: Logger): ChannelMarks {
  const set = async (mark: string, call: Promise<CallResult> | undefined) => {
    const result = await call;
    if (result === undefined || result.outcome === "accepted") return;
    log.info("channel.mark_failed", { mark, code: result.code });
  };
  return {
    markRead: (account, recipient, id) =>
      set("read", senderOf(account)?.markRead?.(addressOf(account.channel, recipient), id)),
    showTyping: (account, recipient) =>
      set("typing", senderOf(account)?.showTyping?.(addressOf(account.channel, recipient))),
    answerButton: (account, callbackId) => set("button", senderOf(account)?.answerButton?.(callbackId)),
  };
}
