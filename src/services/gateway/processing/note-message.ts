import { sql } from "drizzle-orm";
import type { MessageContent, MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import type { NewMessage } from "../../../channels/outbox/enqueue-message.ts";
import { boundValue } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { TurnAuthor } from "../conversations/schema.ts";
import {
  addMessage,
  type ConversationMessageRow,
  type ConversationRow,
  type ConversationTouch,
  insertMessage,
  touching,
} from "../conversations/store.ts";
import type { InboundRow } from "../inbound/schema.ts";
import type { GatewayTables } from "../tables.ts";

/** Adds a user's message to its conversation, and takes the user's current name and reachability from it. */
export async function noteInbound(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  event: MessageEvent,
  { id: conversationId, contactName }: ConversationRow,
): Promise<void> {
  const message = {
    ...messageOf(row, event, conversationId),
    direction: "inbound" as const,
    untoldBy: "user" as const,
  };
  const values = { contactName: event.contactName ?? contactName };
  await addMessage(tx, tables, message, { touch: fromUser, values });
}

const fromUser = touching("note_message_of_user", ({ contactName }) => ({
  contactName: sql`${boundValue(contactName, "contactName")}`,
  unreachableAt: sql`null`,
}));

/** Adds the message that opens a conversation: it has the time that the conversation was added with. */
export const noteFirst = (
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  event: MessageEvent,
  { id, lastMessageAt }: ConversationRow,
): Promise<void> =>
  insertMessage(tx, tables, {
    ...messageOf(row, event, id),
    at: lastMessageAt,
    direction: "inbound",
    untoldBy: "user",
  });

/** Adds a message that was sent from the account by another program, or the provider's own app. */
export const noteEcho = (
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  content: MessageContent,
  conversationId: string,
): Promise<void> =>
  addMessage(tx, tables, {
    ...messageOf(row, content, conversationId),
    direction: "outbound",
    untoldBy: "device",
  });

/** Adds a reply that was queued. `touch` is what it changes in its conversation. */
export const noteReply = (
  tx: Query,
  tables: GatewayTables,
  { id, tenantId, channel, payload }: NewMessage,
  conversationId: string,
  at: Date,
  { touch, untoldBy = null }: { touch?: ConversationTouch | undefined; untoldBy?: TurnAuthor | null } = {},
): Promise<void> => {
  const message: ConversationMessageRow = {
    id,
    tenantId,
    conversationId,
    channel,
    direction: "outbound",
    kind: "text",
    text: payload.text ?? "",
    media: [],
    channelMessageId: null,
    firstText: null,
    untoldBy,
    at,
  };
  return addMessage(tx, tables, message, touch);
};

function messageOf(
  { id, tenantId, channel, channelMessageId, receivedAt }: InboundRow,
  { kind, text, media }: MessageContent,
  conversationId: string,
): Omit<ConversationMessageRow, "direction" | "untoldBy"> {
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
    firstText: null,
    at: receivedAt,
  };
}
