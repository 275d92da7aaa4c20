import { and, desc, eq, inArray, or } from "drizzle-orm";
import type { RepliedTo } from "../../../contracts/gateway/admin.ts";
import { cutText } from "../../../kit/text/cut-text.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import type { ConversationMessageRow } from "./store.ts";

/** Message that a user's message replies to. */
export interface RepliedMessage {
  /** The provider's id. */
  id: string;
  text: string;
  media: ConversationMessageRow["media"];
}

/** Returns a message of a conversation by the provider's id, whoever wrote it. */
export async function findReplied(
  query: ReadQuery,
  { conversationMessages: messages, outbox }: GatewayTables,
  { tenantId, id }: { tenantId: string; id: string },
  channelMessageId: string,
): Promise<RepliedMessage | undefined> {
  const [found] = await query
    .select({ text: messages.text, media: messages.media })
    .from(messages)
    .leftJoin(outbox, eq(outbox.id, messages.id))
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, id),
        or(eq(messages.channelMessageId, channelMessageId), eq(outbox.channelMessageId, channelMessageId)),
      ),
    )
    .orderBy(desc(messages.at))
    .limit(1);
  return found && { id: channelMessageId, ...found };
}

/** A message with the provider's id of the one that it replies to. */
interface Reply {
  message: Pick<ConversationMessageRow, "replyToId">;
}

const shownChars = 200;

/** Returns the messages of a conversation that others reply to, by the provider's id. */
export async function repliedBy(
  query: ReadQuery,
  { conversationMessages: messages, outbox }: GatewayTables,
  { tenantId, id }: { tenantId: string; id: string },
  replies: readonly Reply[],
): Promise<Map<string, Omit<RepliedTo, "id">>> {
  const wanted = [...new Set(replies.flatMap(({ message }) => message.replyToId ?? []))];
  if (wanted.length === 0) return new Map();
  const rows = await query
    .select({
      direction: messages.direction,
      kind: messages.kind,
      text: messages.text,
      given: messages.channelMessageId,
      sentAs: outbox.channelMessageId,
    })
    .from(messages)
    .leftJoin(outbox, eq(outbox.id, messages.id))
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, id),
        or(inArray(messages.channelMessageId, wanted), inArray(outbox.channelMessageId, wanted)),
      ),
    );
  return new Map(
    rows.map(({ direction, kind, text, given, sentAs }) => [
      given ?? sentAs ?? "",
      { direction, kind, text: cutText(text, shownChars) },
    ]),
  );
}
