import type { Clock } from "../../kit/clock.ts";
import type { ConversationArchive, Turn } from "./conversation.ts";

/** A view of the store that hides sessions whose last turn is at least `ttlMs` old, even if they have not been deleted yet. */
export function expiring(store: ConversationArchive, ttlMs: number, clock: Clock): ConversationArchive {
  const oldest = () => new Date(clock.now().getTime() - ttlMs);
  const isOver = (last: Turn | undefined) => last === undefined || last.at <= oldest();
  return {
    ...store,
    async recent(key, limit) {
      const turns = await store.recent(key, limit);
      return isOver(turns.at(-1)) ? [] : turns;
    },
    append: (key, turns, _, fence) => store.append(key, turns, ttlMs, fence),
    async sessions(key, page) {
      const since = oldest();
      return store.sessions(key, { ...page, since: page.since && page.since > since ? page.since : since });
    },
    async page(key, page) {
      const [last] = await store.recent(key, 1);
      return isOver(last) ? [] : store.page(key, page);
    },
  };
}

/** A view of the store that masks known secrets, so that a secret repeated by a model is neither stored nor sent to a model again. */
export function withoutSecrets(
  store: ConversationArchive,
  maskKnown: (text: string) => string,
): ConversationArchive {
  const { summaries } = store;
  return {
    ...store,
    append: (key, turns, ttlMs, fence) =>
      store.append(
        key,
        turns.map((turn) => ({ ...turn, content: maskKnown(turn.content) })),
        ttlMs,
        fence,
      ),
    summaries: {
      ...summaries,
      save: (key, claim, summary) =>
        summaries.save(key, claim, { ...summary, text: maskKnown(summary.text) }),
    },
  };
}
