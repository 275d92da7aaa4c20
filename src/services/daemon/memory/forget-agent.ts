import type { AgentKey } from "../../../engine/memory/conversation.ts";
import type { ConversationArchive } from "../../../engine/memory/conversation-archive.ts";

/** Forgets what one kind of memory holds of an agent. */
export type Forgetter = (key: AgentKey) => Promise<void>;

/** Lets each kind of memory forget the agent, one after the other. */
export async function forgetMemories(forgetters: readonly Forgetter[], key: AgentKey): Promise<void> {
  for (const forget of forgetters) await forget(key);
}

/** How many sessions are found and cleared at once. */
const batchMax = 100;

/**
 * Forgets every conversation of an agent, through the store that also knows what is kept in memory of them; how many. One
 * that is begun meanwhile may stay.
 */
export async function forgetConversations(store: ConversationArchive, key: AgentKey): Promise<number> {
  let sessions = 0;
  let cursor: string | undefined;
  do {
    const { ids, next } = await store.sessionIds(key, { limit: batchMax, cursor });
    const removed = await Promise.all(ids.map((sessionId) => store.clear({ ...key, sessionId })));
    sessions += removed.filter((turns) => turns > 0).length;
    cursor = next;
  } while (cursor !== undefined);
  return sessions;
}
