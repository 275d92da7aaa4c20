import type { ConversationArchive } from "./conversation-archive.ts";

/** The store, given texts without known secrets: what a model repeated of one is neither kept nor said to a model again. */
export function withoutSecrets(
  store: ConversationArchive,
  maskKnown: (text: string) => string,
): ConversationArchive {
  const { summaries } = store;
  return {
    ...store,
    append: (key, turns, ttlMs) =>
      store.append(
        key,
        turns.map((turn) => ({ ...turn, content: maskKnown(turn.content) })),
        ttlMs,
      ),
    summaries: {
      ...summaries,
      save: (key, claim, summary) =>
        summaries.save(key, claim, { ...summary, text: maskKnown(summary.text) }),
    },
  };
}
