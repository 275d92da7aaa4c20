import type { ConversationArchive } from "../../../../engine/memory/conversation.ts";

/** A store that is opened at its first use, and again if that failed. `explain` converts its errors. */
export function lazyStore(
  open: () => Promise<ConversationArchive>,
  explain: (thrown: unknown) => unknown,
): ConversationArchive {
  const via = async <T>(use: (store: ConversationArchive) => Promise<T>): Promise<T> => {
    try {
      return await use(await open());
    } catch (thrown) {
      throw explain(thrown);
    }
  };
  return {
    recent: (key, limit) => via((store) => store.recent(key, limit)),
    append: (key, turns, ttlMs, fence) => via((store) => store.append(key, turns, ttlMs, fence)),
    clear: (key) => via((store) => store.clear(key)),
    endedAt: (key) => via(async (store) => store.endedAt(key)),
    end: (key, at) => via((store) => store.end(key, at)),
    page: (key, page) => via((store) => store.page(key, page)),
    sessions: (key, page) => via((store) => store.sessions(key, page)),
    sessionIds: (key, page) => via((store) => store.sessionIds(key, page)),
    forgetBefore: (key, before, limit) => via((store) => store.forgetBefore(key, before, limit)),
    summaries: {
      find: (key) => via(({ summaries }) => summaries.find(key)),
      progress: (key) => via(({ summaries }) => summaries.progress(key)),
      claim: (key, now, until) => via(({ summaries }) => summaries.claim(key, now, until)),
      turnsAfter: (key, after, limit) => via(({ summaries }) => summaries.turnsAfter(key, after, limit)),
      save: (key, claim, summary) => via(({ summaries }) => summaries.save(key, claim, summary)),
      release: (key, claim) => via(({ summaries }) => summaries.release(key, claim)),
    },
  };
}

/** A store that awaits `record` before an agent's first use in this process. */
export function announcedStore(
  store: ConversationArchive,
  record: (key: { tenant: string; agent: string }) => Promise<void> | undefined,
): ConversationArchive {
  return {
    ...store,
    async recent(key, limit) {
      await record(key);
      return store.recent(key, limit);
    },
    async append(key, turns, ttlMs, fence) {
      await record(key);
      return store.append(key, turns, ttlMs, fence);
    },
    async page(key, page) {
      await record(key);
      return store.page(key, page);
    },
    async sessions(key, page) {
      await record(key);
      return store.sessions(key, page);
    },
  };
}
