import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { ConversationStore } from "../../../engine/memory/conversation.ts";

/**
 * Lifetime of an agent, from its creation to its deletion, across all versions. A run that ends after the deletion still answers, but
 * stores nothing in the memory of a later agent with the same name.
 */
export interface AgentLife {
  /** Returns the agent with a conversation store that stops writing when this life ends. */
  bind(agent: RunnableAgent): RunnableAgent;
  /** Stops all further writes; resolves when the pending writes are done. */
  end(): Promise<void>;
  /** Undoes `end` after a failed deletion. */
  resume(): void;
}

export function beginLife(): AgentLife {
  let hasEnded = false;
  const writing = new Set<Promise<void>>();

  const keepWhileAlive = (store: ConversationStore): ConversationStore => ({
    ...store,
    async append(key, turns, ttlMs) {
      if (hasEnded) return;
      const written = store.append(key, turns, ttlMs);
      writing.add(written);
      try {
        await written;
      } finally {
        writing.delete(written);
      }
    },
  });

  return {
    bind: (agent) => ({ ...agent, memory: { ...agent.memory, store: keepWhileAlive(agent.memory.store) } }),
    async end() {
      hasEnded = true;
      await Promise.allSettled(writing);
    },
    resume() {
      hasEnded = false;
    },
  };
}
