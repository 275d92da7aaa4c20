import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import type { NewMessage } from "../../../channels/outbox/enqueue-message.ts";
import { traceIdOf } from "../../../kit/trace-parent.ts";
import type { ConversationRow } from "../conversations/store.ts";
import type { InboundRow } from "../inbound/schema.ts";

/** Returns a user's message as the outbox forwards it to the binding's callback. */
export function forwardedMessage(
  id: string,
  { id: eventId, tenantId, channel, accountId, receivedAt }: InboundRow,
  event: MessageEvent,
  { id: conversationId }: ConversationRow,
): NewMessage {
  const { messageId, sender, text, contactName, sentAt, media } = event;
  return {
    id,
    tenantId,
    channel,
    accountId,
    recipient: sender.address,
    conversationId,
    source: "inbound_forward",
    payload: {
      ...(text !== "" && { text }),
      trace: traceIdOf(eventId),
      forward: {
        message_id: messageId,
        from: sender.address,
        text,
        channel,
        ...(contactName !== undefined && { contact_name: contactName }),
        timestamp: (sentAt ?? receivedAt).toISOString(),
        media: media.map(({ kind, id, url, mimeType, isTooLarge }) => ({
          kind,
          ...(id !== undefined && { id }),
          ...(url !== undefined && { url }),
          ...(mimeType !== undefined && { mimeType }),
          ...(isTooLarge === true && { isTooLarge }),
        })),
      },
    },
  };
}
