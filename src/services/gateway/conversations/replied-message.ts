import { and, desc, eq, or } from "drizzle-orm";
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
