import { useEffect, useRef } from "react";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { ConversationMessage } from "../../../contracts/gateway/admin.ts";
import { useGateway } from "../use-gateway.ts";
import { receiptChannels } from "./pipeline.ts";

/** Reports each message that arrives on the phone as delivered, then as read, as a provider with receipts does. */
export function useReceipts(
  { channel, external_id: cuenta }: Account,
  messages: readonly ConversationMessage[],
  isOn: boolean,
): void {
  const gateway = useGateway();
  const reported = useRef(new Set<string>());
  useEffect(() => {
    if (!isOn || !receiptChannels.has(channel)) return;
    const fresh = messages.flatMap(({ direction, status, channel_message_id: id }) =>
      direction === "outbound" && status === "sent" && id !== null && !reported.current.has(id) ? [id] : [],
    );
    for (const id of fresh) {
      reported.current.add(id);
      const report = (estado: "delivered" | "read") =>
        gateway.emulateReceipt({ canal: channel, cuenta, channel_message_id: id, estado });
      report("delivered")
        .then(() => report("read"))
        // The message then stays as sent, which is what it is.
        .catch(() => undefined);
    }
  }, [gateway, channel, cuenta, messages, isOn]);
}
