import type { MessageSender } from "../../../channels/outbox/message-sender.ts";
import type { Logger } from "../../../kit/log.ts";

/** Wait of the other messages while one finds out whether the account works again. */
const asideMs = 1_000;

/** Sends by `sender`. After the provider refused the account, one message at a time tries it, until one is accepted or refused for itself. */
export function tryingAlone(sender: MessageSender, log: Logger): MessageSender {
  let isRefused = false;
  let isTrying = false;
  return {
    ...sender,
    async send(account, message, part) {
      if (isRefused && isTrying)
        return { result: { action: "paced", waitMs: asideMs }, channelMessageId: undefined };
      isTrying = true;
      try {
        const outcome = await sender.send(account, message, part);
        const { result } = outcome;
        if (result.action === "pause") {
          if (!isRefused) log.error("channel.paused", { code: result.code });
          isRefused = true;
        } else if (isRefused && ["sent", "continue", "final"].includes(result.action)) {
          isRefused = false;
          log.info("channel.resumed");
        }
        return outcome;
      } finally {
        isTrying = false;
      }
    },
  };
}
