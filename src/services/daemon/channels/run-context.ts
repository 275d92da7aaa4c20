import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { namedMedia, saidAround } from "../../../channels/inbound/query-text.ts";
import type { EventRow } from "./schema.ts";

/** Returns what the prompt of a run may use of its message. */
export function runContext({ channel, receivedAt }: EventRow, event: MessageEvent): Record<string, unknown> {
  const { sender, contactName, messageId, replyTo, media } = event;
  return {
    channel,
    sender: sender.address,
    ...(sender.kind === "phone" && { sender_phone: sender.address }),
    ...(contactName !== undefined && { contact_name: contactName }),
    message_id: messageId,
    received_at: receivedAt.toISOString(),
    ...saidAround(event),
    ...(replyTo !== undefined && { reply_to: { id: replyTo } }),
    ...(media.length > 0 && { media: media.map((item) => namedMedia(item)) }),
  };
}
