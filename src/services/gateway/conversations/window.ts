import { and, eq, inArray, max, ne } from "drizzle-orm";
import { channels } from "../../../channels/channel-registry.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";

interface Shown {
  id: string;
  channel: ChannelName;
}

/** Returns until when the providers take free text in conversations, by id; null: their user never wrote. Channels without a window have no entry. */
export async function windowEnds(
  query: ReadQuery,
  { conversationMessages: messages }: GatewayTables,
  conversations: readonly Shown[],
): Promise<Map<string, Date | null>> {
  const windowed = conversations.flatMap(({ id, channel }) => {
    const windowMs = channels.get(channel)?.limits.windowMs;
    return windowMs === undefined ? [] : [{ id, windowMs }];
  });
  if (windowed.length === 0) return new Map();
  const rows = await query
    .select({ id: messages.conversationId, at: max(messages.at) })
    .from(messages)
    .where(
      and(
        inArray(
          messages.conversationId,
          windowed.map(({ id }) => id),
        ),
        eq(messages.direction, "inbound"),
        ne(messages.kind, "reaction"),
      ),
    )
    .groupBy(messages.conversationId);
  const wroteAt = new Map(rows.map(({ id, at }) => [id, at]));
  return new Map(
    windowed.map(({ id, windowMs }) => {
      const at = wroteAt.get(id);
      return [id, at == null ? null : new Date(at.getTime() + windowMs)];
    }),
  );
}

/** Adds to conversations until when free text is taken. */
export async function withWindows<Conversation extends Shown>(
  query: ReadQuery,
  tables: GatewayTables,
  conversations: readonly Conversation[],
): Promise<(Conversation & { window_closes_at?: string | null })[]> {
  const ends = await windowEnds(query, tables, conversations);
  return conversations.map((conversation) => {
    const end = ends.get(conversation.id);
    return end === undefined
      ? conversation
      : { ...conversation, window_closes_at: end?.toISOString() ?? null };
  });
}
