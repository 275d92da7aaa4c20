import type { Clock } from "../../kit/clock.ts";
import type { Turn } from "./conversation.ts";
import type { ConversationArchive } from "./conversation-archive.ts";

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
    append: (key, turns) => store.append(key, turns, ttlMs),
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
