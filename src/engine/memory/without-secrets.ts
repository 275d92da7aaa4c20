import type { ConversationArchive } from "./conversation-archive.ts";

/** A view of the store that masks known secrets, so that a secret repeated by a model is neither stored nor sent to a model again. */
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
