import { sql } from "drizzle-orm";
import type { MessageEvent, ReceivedContent } from "../../../channels/inbound/inbound-event.ts";
import { spoken } from "../../../channels/inbound/query-text.ts";
import type { NewMessage } from "../../../channels/outbox/enqueue-message.ts";
import { boundValue } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { TurnAuthor } from "../conversations/schema.ts";
import {
  addMessage,
  type ConversationMessageRow,
  type ConversationRow,
  insertMessage,
} from "../conversations/store.ts";
import { type Answerer, asking, type ConversationTouch, touching } from "../conversations/touch.ts";
import type { InboundRow } from "../inbound/schema.ts";
import { wantFiles } from "../media/store.ts";
import { noteMeasure } from "../reports/measure.ts";
import type { GatewayTables } from "../tables.ts";

/** Adds a user's message to its conversation, and takes the user's current name and reachability from it. */
export async function noteInbound(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  event: MessageEvent,
  { id: conversationId, contactName }: ConversationRow,
  transcribes: boolean,
): Promise<void> {
  const message = {
    ...(await messageOf(tx, tables, row, saidBy(event), conversationId, transcribes)),
    direction: "inbound" as const,
    untoldBy: "user" as const,
  };
  const values = { contactName: event.contactName ?? contactName };
  await addMessage(tx, tables, message, { touch: { touch: fromUser, values } });
}

const fromUser = touching("note_message_of_user", (conversations) => ({
  contactName: sql`${boundValue(conversations.contactName, "contactName")}`,
  unreachableAt: sql`null`,
  ...asking(conversations),
}));

/** Adds a user's answer to the question after a resolution: it opens nothing, and no agent is told. */
export async function noteScored(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  event: MessageEvent,
  { id: conversationId }: ConversationRow,
): Promise<void> {
  // It is a text.
  const message = await messageOf(tx, tables, row, saidBy(event), conversationId, false);
  await addMessage(
    tx,
    tables,
    { ...message, direction: "inbound", untoldBy: null },
    { touch: { touch: fromScorer, values: {} }, wakes: false },
  );
}

const fromScorer = touching("note_score_of_user", () => ({
  unreachableAt: sql`null`,
  csatAskedAt: sql`null`,
}));

/** Adds the message that opens a conversation: it has the time that the conversation was added with. */
export async function noteFirst(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  event: MessageEvent,
  { id: conversationId, lastMessageAt: at }: ConversationRow,
  transcribes: boolean,
): Promise<void> {
  const message = await messageOf(tx, tables, row, saidBy(event), conversationId, transcribes);
  await insertMessage(tx, tables, { ...message, at, direction: "inbound", untoldBy: "user" });
  const { id, tenantId, channel } = row;
  await noteMeasure(tx, tables, { id, tenantId, channel, measure: "begun", value: 0, at });
}

/** Adds a message that was sent from the account by another program, or the provider's own app. */
export const noteEcho = async (
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  content: ReceivedContent,
  conversationId: string,
): Promise<void> =>
  addMessage(
    tx,
    tables,
    {
      ...(await messageOf(tx, tables, row, content, conversationId, false)),
      direction: "outbound",
      untoldBy: "device",
    },
    { by: {} },
  );

/** Adds a reply that was queued. `touch` is what it changes in its conversation. */
export const noteReply = (
  tx: Query,
  tables: GatewayTables,
  { id, tenantId, channel, payload }: NewMessage,
  conversationId: string,
  at: Date,
  {
    touch,
    untoldBy = null,
    by,
  }: {
    touch?: ConversationTouch | undefined;
    untoldBy?: TurnAuthor | null;
    by?: Answerer | undefined;
  } = {},
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
    replyToId: null,
    firstText: null,
    untoldBy,
    at,
  };
  return addMessage(tx, tables, message, { touch, by });
};

/** A message of a group says who wrote it. */
const saidBy = (event: MessageEvent): Said => ({ ...event, text: spoken(event, event.text) });

type Said = ReceivedContent & Pick<MessageEvent, "replyTo">;

async function messageOf(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  { kind, text, media, replyTo }: Said,
  conversationId: string,
  transcribes: boolean,
): Promise<Omit<ConversationMessageRow, "direction" | "untoldBy">> {
  const { id, tenantId, channel, channelMessageId, receivedAt } = row;
  const files =
    media.length === 0 ? [] : await wantFiles(tx, tables, row, media, conversationId, transcribes);
  return {
    id,
    tenantId,
    conversationId,
    channel,
    kind,
    text,
    media: media.map(({ kind, url, mimeType, fileName }, index) => ({
      kind,
      ...(files[index] !== undefined && { id: files[index] }),
      ...(url !== undefined && { url }),
      ...(mimeType !== undefined && { mime_type: mimeType }),
      ...(fileName !== undefined && { file_name: fileName }),
    })),
    channelMessageId,
    replyToId: replyTo ?? null,
    firstText: null,
    at: receivedAt,
  };
}
