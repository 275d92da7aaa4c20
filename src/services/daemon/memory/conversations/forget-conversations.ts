import type { AgentKey, ConversationArchive } from "../../../../engine/memory/conversation.ts";

/** Deletes an agent's data from one kind of memory. */
export type Forgetter = (key: AgentKey) => Promise<void>;

/** Deletes the agent's data from each kind of memory, one after the other. */
export async function forgetMemories(forgetters: readonly Forgetter[], key: AgentKey): Promise<void> {
  for (const forget of forgetters) await forget(key);
}

/** Number of sessions found and cleared at once. */
const batchMax = 100;

/**
 * Deletes every conversation of an agent and returns their number; runs in progress store nothing more. Uses the store that also holds
 * cached turns.
 */
export async function forgetConversations(
  store: ConversationArchive,
  key: AgentKey,
  now: Date,
): Promise<number> {
  await store.end(key, now);
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
