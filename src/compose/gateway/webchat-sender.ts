import type { MessageSender } from "../../channels/outbox/message-sender.ts";
import { type DeliverPorts, deliverMessage } from "../../services/gateway/webchat/deliver-message.ts";

/** Puts messages of web chat accounts into their visitors' threads, and sends all others by `sender`. */
export const withWebchat = (sender: MessageSender, ports: DeliverPorts): MessageSender => ({
  ...sender,
  send: (account, message, part) =>
    account.channel === "webchat" && !account.emulated
      ? deliverMessage(ports, account, message)
      : sender.send(account, message, part),
});
