import { and, sql } from "drizzle-orm";
import type { MessageContent, MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { boundValue, equalsBound, statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import { addMessage, type ConversationMessageRow, type ConversationRow } from "../conversations/store.ts";
import type { InboundRow } from "../inbound/event-row.ts";
import type { NewMessage } from "../outbox/enqueue-message.ts";
import type { GatewayTables } from "../tables.ts";

/** Adds a user's message to its conversation, and takes the user's current name and reachability from it. */
export async function noteInbound(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  event: MessageEvent,
  { id: conversationId, tenantId, contactName }: ConversationRow,
): Promise<void> {
  await addMessage(tx, tables, { ...messageOf(row, event, conversationId), direction: "inbound" });
  const name = event.contactName ?? contactName;
  await reachableUpdate(tx, tables).execute({ tenantId, id: conversationId, contactName: name });
}

const reachableUpdate = statement((tx: Query, { conversations }: GatewayTables) =>
  tx
    .update(conversations)
    .set({ contactName: sql`${boundValue(conversations.contactName, "contactName")}`, unreachableAt: null })
    .where(and(equalsBound(conversations.tenantId, "tenantId"), equalsBound(conversations.id, "id")))
    .returning({ id: conversations.id })
    .prepare("note_reachable_user"),
);

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
