import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { namedMedia } from "../../../channels/inbound/query-text.ts";
import type { EventRow } from "./schema.ts";

/** Returns what the prompt of a run may use of its message. */
export function runContext(
  { channel, receivedAt }: EventRow,
  { sender, contactName, messageId, replyTo, media }: MessageEvent,
): Record<string, unknown> {
  return {
    channel,
    sender: sender.address,
    ...(sender.kind === "phone" && { sender_phone: sender.address }),
    ...(contactName !== undefined && { contact_name: contactName }),
    message_id: messageId,
    received_at: receivedAt.toISOString(),
    ...(replyTo !== undefined && { reply_to: replyTo }),
    ...(media.length > 0 && { media: media.map((item) => namedMedia(item)) }),
  };
}
