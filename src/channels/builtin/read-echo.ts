import type { Work } from "../../kit/concurrency/others-turn.ts";
import { addressOf, idOf, storableOf } from "../inbound/delivered-text.ts";
import type { DeliveryReading } from "../inbound/inbound-event.ts";
import { readDeliveryJson } from "../inbound/read-delivery-json.ts";

/** Reads a delivery of the channel `echo`: one message `{from, text, id}`. */
export function* readEchoDelivery(body: Uint8Array, account: string): Work<DeliveryReading> {
  const read = yield* readDeliveryJson(body);
  if ("unreadable" in read) return read;
  const sender = addressOf("id", idOf(read.document, "from"));
  const messageId = idOf(read.document, "id");
  const text = storableOf(read.document, "text");
  if (sender === undefined || messageId === undefined || text === undefined) {
    return { unreadable: "from, text and id must be texts that are not empty." };
  }
  return {
    events: [
      {
        type: "message",
        account,
        dedupeKey: messageId,
        messageId,
        conversation: { address: sender, key: sender.address, isGroup: false },
        sender,
        sentAt: undefined,
        isForwarded: false,
        kind: "text",
        text,
        media: [],
      },
    ],
  };
}
