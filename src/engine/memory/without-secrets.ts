import type { ConversationStore } from "./conversation.ts";

/** The store, given turns without known secrets: what a model repeated of one is neither kept nor said to a model again. */
export function withoutSecrets(
  store: ConversationStore,
  maskKnown: (text: string) => string,
): ConversationStore {
  return {
    recent: (key, limit) => store.recent(key, limit),
    append: (key, turns) =>
      store.append(
        key,
        turns.map((turn) => ({ ...turn, content: maskKnown(turn.content) })),
      ),
    clear: (key) => store.clear(key),
  };
}
