import type { ConversationArchive, SessionKey, Turn } from "../../../../engine/memory/conversation.ts";
import { storableTurn } from "./storable-turn.ts";

/** Maximum size of all cached turns, in characters. The session that was idle longest is dropped first. */
const charsMaxDefault = 8 * 1024 * 1024;

/** Sessions whose ends are kept in memory. */
const endsMax = 10_000;

interface Session {
  /** Latest turns, oldest first. */
  turns: Turn[];
  /** True if `turns` is the whole conversation. */
  isWhole: boolean;
  /** Limit of the read that filled the cache; more turns are not cached. */
  wanted: number;
  chars: number;
}

/**
 * Caches the ends of recent conversations, so a turn needs no read. Only for a store that no other process writes to. A conversation is
 * cached when it is read, and updated by every append after its commit.
 */
export function cacheSessions(store: ConversationArchive, charsMax = charsMaxDefault): ConversationArchive {
  /** Sessions, idle longest first. */
  const sessions = new Map<string, Session>();
  /** Reads in progress. A write removes the mark, and the result of that read is not cached. */
  const reading = new Map<string, symbol>();
  /** Writes in progress. A read during a write may or may not include it. */
  const writing = new Map<string, number>();
  let chars = 0;
  /** Ends of sessions as they were read; undefined: none. */
  const ends = new Map<string, Date | undefined>();
  /** Changes with each end, so that a read meanwhile is not kept. */
  let endsMade = 0;

  const forget = (id: string) => {
    const session = sessions.get(id);
    if (session === undefined) return;
    sessions.delete(id);
    chars -= session.chars;
  };
  const remember = (id: string, session: Session) => {
    forget(id);
    sessions.set(id, session);
    chars += session.chars;
    for (const quietest of sessions.keys()) {
      if (chars <= charsMax) break;
      forget(quietest);
    }
  };

  const write = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    reading.delete(id);
    writing.set(id, (writing.get(id) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const others = (writing.get(id) ?? 1) - 1;
      if (others === 0) writing.delete(id);
      else writing.set(id, others);
    }
  };

  const readEnd = async (id: string, key: SessionKey) => {
    const made = endsMade;
    const at = await store.endedAt(key);
    if (made !== endsMade) return at;
    ends.set(id, at);
    const [oldest] = ends.keys();
    if (ends.size > endsMax && oldest !== undefined) ends.delete(oldest);
    return at;
  };

  return {
    ...store,
    async recent(key, limit) {
      const id = idOf(key);
      const session = sessions.get(id);
      if (session !== undefined && (session.isWhole || session.turns.length >= limit)) {
        sessions.delete(id);
        sessions.set(id, session);
        return session.turns.slice(Math.max(0, session.turns.length - limit));
      }
      const mark = Symbol();
      if (!writing.has(id)) reading.set(id, mark);
      try {
        const turns = await store.recent(key, limit);
        if (reading.get(id) === mark) remember(id, sessionOf(id, turns, turns.length < limit, limit));
        return turns;
      } finally {
        if (reading.get(id) === mark) reading.delete(id);
      }
    },
    async append(key, turns, ttlMs, fence) {
      const id = idOf(key);
      await write(id, () => store.append(key, turns, ttlMs, fence));
      const session = sessions.get(id);
      if (session === undefined) return;
      // The session may have expired and begun again.
      if (ttlMs !== undefined && isOver(session.turns.at(-1), turns[0], ttlMs)) return forget(id);
      const all = [...session.turns, ...turns.map(storableTurn)];
      remember(id, sessionOf(id, all, session.isWhole, session.wanted));
    },
    async clear(key) {
      const id = idOf(key);
      const removed = await write(id, () => store.clear(key));
      forget(id);
      return removed;
    },
    endedAt(key) {
      const id = idOf(key);
      return ends.has(id) ? ends.get(id) : readEnd(id, key);
    },
    async end(key, at) {
      endsMade++;
      await store.end(key, at);
      endsMade++;
      // An end may be that of all sessions of an agent, and ends are rare.
      ends.clear();
    },
    async forgetBefore(key, before, limit) {
      const forgotten = await store.forgetBefore(key, before, limit);
      for (const sessionId of forgotten) {
        const id = idOf({ ...key, sessionId });
        reading.delete(id);
        forget(id);
      }
      return forgotten;
    },
  };
}

function isOver(last: Turn | undefined, next: Turn | undefined, ttlMs: number): boolean {
  return last === undefined || next === undefined || next.at.getTime() - last.at.getTime() >= ttlMs;
}

/** The lengths say where each part ends, whatever characters it has. */
function idOf({ tenant, agent, sessionId }: SessionKey): string {
  return `${tenant.length}:${agent.length}:${tenant}${agent}${sessionId}`;
}

function sessionOf(id: string, all: readonly Turn[], isWhole: boolean, wanted: number): Session {
  const turns = all.slice(-wanted);
  const chars = turns.reduce((sum, turn) => sum + turn.content.length, id.length);
  return { turns, isWhole: isWhole && turns.length === all.length, wanted, chars };
}
