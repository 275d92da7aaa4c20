import { and, eq, inArray, ne, sql } from "drizzle-orm";
import type { IgnoredEvent, IgnoredRecord } from "../../../channels/inbound/inbound-event.ts";
import type { Query } from "../../../storage/storage.ts";
import { addMessage, lockConversationWith } from "../conversations/store.ts";
import { noteWords } from "../desk/message-words.ts";
import type { InboundRow } from "../inbound/schema.ts";
import { dropFiles } from "../media/store.ts";
import type { GatewayTables } from "../tables.ts";

/** Reasons whose events are shown in the conversation, as messages that no agent answers. */
const shown: ReadonlySet<string> = new Set(["reaction", "standby", "unsupported", "unknown_kind"]);

/** Records an event about an earlier message: an edit, a withdrawal, a reaction, or a message that no agent may answer. */
export async function recordReport(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  { reason, record }: IgnoredEvent,
): Promise<void> {
  if (record === undefined) return;
  if (reason === "revoke") return change(tx, tables, row, record, { kind: "deleted", text: "", media: [] });
  if (reason === "edit" && record.text !== undefined)
    return change(tx, tables, row, record, { text: record.text, untoldBy: "user" });
  if (!shown.has(reason) || record.address === undefined) return;
  const { tenantId, channel, id, receivedAt } = row;
  const externalUser = record.address.address;
  const conversation = await lockConversationWith(tx, tables, row, externalUser);
  if (conversation === undefined) return;
  await addMessage(tx, tables, {
    id,
    tenantId,
    conversationId: conversation.id,
    channel,
    direction: "inbound",
    kind: reason,
    text: record.text ?? "",
    media: [],
    channelMessageId: record.about ?? null,
    firstText: null,
    replyToId: null,
    untoldBy: reason === "standby" ? "user" : null,
    at: receivedAt,
  });
}

type MessageChange = Partial<
  Pick<GatewayTables["conversationMessages"]["$inferSelect"], "kind" | "text" | "media" | "untoldBy">
>;

/** Deletes the files that were kept of a message. */
async function dropMediaOf(tx: Query, tables: GatewayTables, tenantId: string, id: string): Promise<void> {
  const { conversationMessages } = tables;
  const [message] = await tx
    .select({ media: conversationMessages.media })
    .from(conversationMessages)
    .where(and(eq(conversationMessages.tenantId, tenantId), eq(conversationMessages.id, id)));
  const ids = message?.media.flatMap((file) => (file.id === undefined ? [] : [file.id])) ?? [];
  await dropFiles(tx, tables, tenantId, ids);
}

/** Changes the stored copies of the message that a record is about. */
async function change(
  tx: Query,
  tables: GatewayTables,
  { tenantId, accountId }: InboundRow,
  { about, address }: IgnoredRecord,
  to: MessageChange,
): Promise<void> {
  if (about === undefined) return;
  const { inbound, conversationMessages } = tables;
  // A bot's message ids are unique within the chat only.
  const keys = [`message:${about}`, `message:${address?.address}:${about}`];
  const [message] = await tx
    .select({ id: inbound.id, event: inbound.event })
    .from(inbound)
    .where(
      and(eq(inbound.tenantId, tenantId), eq(inbound.accountId, accountId), inArray(inbound.dedupeKey, keys)),
    );
  if (message === undefined) return;
  const { text, media, untoldBy } = to;
  const isEdit = untoldBy !== undefined;
  const event = {
    ...message.event,
    ...(text !== undefined && { text }),
    ...(media !== undefined && { media }),
  };
  await tx
    .update(inbound)
    .set({ event })
    .where(and(eq(inbound.tenantId, tenantId), eq(inbound.id, message.id)))
    .returning({ id: inbound.id });
  if (media !== undefined) await dropMediaOf(tx, tables, tenantId, message.id);
  const [changed] = await tx
    .update(conversationMessages)
    .set({
      ...to,
      // An edit keeps the first wording, a withdrawal none.
      firstText: isEdit
        ? sql`coalesce(${conversationMessages.firstText}, ${conversationMessages.text})`
        : null,
    })
    .where(
      and(
        eq(conversationMessages.tenantId, tenantId),
        eq(conversationMessages.id, message.id),
        // Providers also report edits that leave the text as it is.
        isEdit ? ne(conversationMessages.text, text ?? "") : undefined,
      ),
    )
    .returning();
  if (changed !== undefined) await noteWords(tx, tables, changed);
}
