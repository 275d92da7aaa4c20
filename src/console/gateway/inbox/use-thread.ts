import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ConversationMessage } from "../../../contracts/gateway/admin.ts";
import { useGateway } from "../use-gateway.ts";

const pageMessages = 50;

export const threadKey = (id: string) => ["gateway", "thread", id] as const;
export const entriesKey = (id: string) => ["gateway", "entries", id] as const;
export const conversationKey = (id: string) => ["gateway", "conversation", id] as const;

/** Reads a conversation. */
export function useConversation(id: string) {
  const gateway = useGateway();
  return useQuery({ queryKey: conversationKey(id), queryFn: () => gateway.getConversation(id) });
}

/** Reads the newest messages of a conversation, and earlier ones on request. */
export function useThread(id: string) {
  const gateway = useGateway();
  return useInfiniteQuery({
    queryKey: threadKey(id),
    initialPageParam: 0,
    queryFn: ({ pageParam }) =>
      gateway.listMessages(id, { order: "newest", limit: pageMessages, offset: pageParam }),
    getNextPageParam: ({ messages, limit, offset }) => (messages.length < limit ? undefined : offset + limit),
  });
}

/** Returns the messages of all pages, the oldest first. A message that came in between is in two pages. */
export function inOrder(
  pages: readonly { messages: readonly ConversationMessage[] }[],
): ConversationMessage[] {
  const byId = new Map(pages.flatMap(({ messages }) => messages).map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
}
