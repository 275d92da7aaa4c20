import { and, eq } from "drizzle-orm";
import type { MessageContent, MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import type { Query } from "../../../storage/storage.ts";
import { addMessage, type ConversationMessageRow, type ConversationRow } from "../conversations/store.ts";
import type { InboundRow } from "../inbound/event-row.ts";
import type { NewMessage } from "../outbox/enqueue-message.ts";
import type { GatewayTables } from "../tables.ts";
import type { TrailEntry } from "../trail/append-trail.ts";

/** Adds a user's message to its conversation, and takes the user's current name and reachability from it. */
export async function noteInbound(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  event: MessageEvent,
  { id: conversationId, tenantId, contactName }: ConversationRow,
): Promise<void> {
  await addMessage(tx, tables, { ...messageOf(row, event, conversationId), direction: "inbound" });
  const { conversations } = tables;
  await tx
    .update(conversations)
    .set({ contactName: event.contactName ?? contactName, unreachableAt: null })
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, conversationId)))
    .returning({ id: conversations.id });
}

/** Adds a message that was sent from the account by another program, or the provider's own app. */
export const noteEcho = (
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  content: MessageContent,
  conversationId: string,
): Promise<void> =>
  addMessage(tx, tables, { ...messageOf(row, content, conversationId), direction: "outbound" });

/** Adds a reply that was queued. */
export const noteReply = (
  tx: Query,
  tables: GatewayTables,
  { id, tenantId, channel, payload }: NewMessage,
  conversationId: string,
  at: Date,
): Promise<void> =>
  addMessage(tx, tables, {
    id,
    tenantId,
    conversationId,
    channel,
    direction: "outbound",
    kind: "text",
    text: payload.text ?? "",
    media: [],
    channelMessageId: null,
    at,
  });

/** The ledger's entry that links a message with what was queued for it. */
export const answeredBy = (
  { id, tenantId, accountId, channel, channelMessageId }: InboundRow,
  event: "answered" | "forwarded",
  relatedId: string,
  at: Date,
): TrailEntry => ({
  messageId: id,
  tenantId,
  accountId,
  channel,
  direction: "inbound",
  event,
  channelMessageId: channelMessageId ?? undefined,
  relatedId,
  at,
});

function messageOf(
  { id, tenantId, channel, channelMessageId, receivedAt }: InboundRow,
  { kind, text, media }: MessageContent,
  conversationId: string,
): Omit<ConversationMessageRow, "direction"> {
  return {
    id,
    tenantId,
    conversationId,
    channel,
    kind,
    text,
    media: media.map(({ kind, url, mimeType, fileName }) => ({
      kind,
      ...(url !== undefined && { url }),
      ...(mimeType !== undefined && { mime_type: mimeType }),
      ...(fileName !== undefined && { file_name: fileName }),
    })),
    channelMessageId,
    at: receivedAt,
  };
}
