import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { ConversationStore } from "../../../engine/memory/conversation.ts";

/**
 * Lifetime of an agent, from its creation to its deletion, across all versions. A run that ends after the deletion still answers, but
 * stores nothing in the memory of a later agent with the same name.
 */
export interface AgentLife {
  /** Returns the agent with memories that runs and the API stop writing when this life ends. */
  bind(agent: RunnableAgent): RunnableAgent;
  /** Stops all further writes; resolves when the pending writes are done. */
  end(): Promise<void>;
  /** Undoes `end` after a failed deletion. */
  resume(): void;
}

export function beginLife(): AgentLife {
  let hasEnded = false;
  const writing = new Set<Promise<unknown>>();

  async function whileAlive<T>(write: () => Promise<T>): Promise<T | undefined> {
    if (hasEnded) return undefined;
    const written = write();
    writing.add(written);
    try {
      return await written;
    } finally {
      writing.delete(written);
    }
  }

  const keepWhileAlive = (store: ConversationStore): ConversationStore => ({
    ...store,
    append: (key, turns, ttlMs) => whileAlive(() => store.append(key, turns, ttlMs)),
  });

  return {
    bind: (agent) => ({
      ...agent,
      memory: { ...agent.memory, store: keepWhileAlive(agent.memory.store) },
      whileAlive,
    }),
    async end() {
      hasEnded = true;
      await Promise.allSettled(writing);
    },
    resume() {
      hasEnded = false;
    },
  };
}
