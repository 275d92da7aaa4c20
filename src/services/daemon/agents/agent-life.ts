import type { ConversationStore } from "../../../engine/memory/conversation.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";

/**
 * The time from an agent's coming to its deletion, through all its versions. A run that ends later answers as ever, and
 * leaves nothing in the memory of whoever has its name next.
 */
export interface AgentLife {
  /** The agent with a memory that ends with this life. */
  bind(agent: RunnableAgent): RunnableAgent;
  /** From now on nothing is kept; resolves once what was being written is written. */
  end(): Promise<void>;
  /** Takes the end back, when the deletion failed. */
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
