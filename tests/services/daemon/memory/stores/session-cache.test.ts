import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ConversationArchive, SessionKey, Turn } from "../../../../../src/engine/memory/conversation.ts";
import { inProcessConversations } from "../../../../../src/services/daemon/memory/stores/in-process-store.ts";
import { cacheSessions } from "../../../../../src/services/daemon/memory/stores/session-cache.ts";

const key: SessionKey = { tenant: "t", agent: "a", sessionId: "s" };
const turn = (content: string): Turn => ({
  role: "user",
  content,
  at: new Date(0),
  tokenCount: 1,
  metadata: {},
});

/** A store whose writes become visible at one time and are answered later, like a real commit. */
function slowStore(pause: () => Promise<void>) {
  const sessions = new Map<string, Turn[]>();
  const seen = { reads: 0 };
  const idOf = ({ sessionId }: SessionKey) => sessionId;
  const store: ConversationArchive = {
    ...inProcessConversations(),
    async recent(session, limit) {
      seen.reads++;
      await pause();
      const turns = (sessions.get(idOf(session)) ?? []).slice(-limit);
      await pause();
      return turns;
    },
    async append(session, turns) {
      await pause();
      sessions.set(idOf(session), [...(sessions.get(idOf(session)) ?? []), ...turns]);
      await pause();
    },
    async clear(session) {
      await pause();
      const removed = sessions.get(idOf(session))?.length ?? 0;
      sessions.delete(idOf(session));
      await pause();
      return removed;
    },
  };
  return { store, seen, now: () => sessions.get(key.sessionId) ?? [] };
}

const atOnce = async () => {};
const contents = (turns: readonly Turn[]) => turns.map(({ content }) => content);

describe("a conversation that was read once", () => {
  test("is not read again, and follows appends", async () => {
    const { store, seen } = slowStore(atOnce);
    const cached = cacheSessions(store);
    await cached.append(key, [turn("1")]);
    expect(contents(await cached.recent(key, 5))).toEqual(["1"]);
    await cached.append(key, [turn("2"), turn("3")]);
    expect(contents(await cached.recent(key, 2))).toEqual(["2", "3"]);
    expect(contents(await cached.recent(key, 9))).toEqual(["1", "2", "3"]);
    expect(seen.reads).toBe(1);
  });

  test("is read again when more is asked for than is remembered", async () => {
    const { store, seen } = slowStore(atOnce);
    const cached = cacheSessions(store);
    await cached.append(key, [turn("1"), turn("2"), turn("3")]);
    expect(contents(await cached.recent(key, 2))).toEqual(["2", "3"]);
    expect(contents(await cached.recent(key, 3))).toEqual(["1", "2", "3"]);
    expect(seen.reads).toBe(2);
  });

  test("holds no more turns than were asked for, however long it continues", async () => {
    const { store, seen } = slowStore(atOnce);
    const cached = cacheSessions(store, 60);
    await cached.recent(key, 2);
    for (let number = 0; number < 200; number++) await cached.append(key, [turn(String(number))]);
    expect(contents(await cached.recent(key, 2))).toEqual(["198", "199"]);
    expect(seen.reads).toBe(1);
    expect(await cached.recent(key, 100)).toHaveLength(100);
    expect(seen.reads).toBe(2);
  });

  test("is empty after a clear", async () => {
    const cached = cacheSessions(slowStore(atOnce).store);
    await cached.append(key, [turn("1")]);
    await cached.recent(key, 5);
    expect(await cached.clear(key)).toBe(1);
    expect(await cached.recent(key, 5)).toEqual([]);
  });

  test("makes room for others when all together are too large", async () => {
    const { store, seen } = slowStore(atOnce);
    const cached = cacheSessions(store, 1000);
    const other = { ...key, sessionId: "other" };
    for (const session of [key, other]) {
      await cached.append(session, [turn("x".repeat(600))]);
      await cached.recent(session, 5);
    }
    await cached.recent(key, 5);
    expect(seen.reads).toBe(3);
  });
});

test("for any overlapping operations, the cache equals the store", async () => {
  const operation = fc.constantFrom("append", "recent", "clear" as const);
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(operation, { minLength: 2, maxLength: 12 }),
      async (scheduler, script) => {
        const { store, now } = slowStore(() => scheduler.schedule(Promise.resolve()));
        const cached = cacheSessions(store);
        const work = script.map((name, index) => {
          if (name === "append") return cached.append(key, [turn(String(index))]);
          return name === "clear" ? cached.clear(key) : cached.recent(key, 100);
        });
        await scheduler.waitAll();
        await Promise.all(work);
        const read = cached.recent(key, 100);
        await scheduler.waitAll();
        const stored = contents(now());
        const remembered = contents(await read);
        // In this store, overlapping appends may be answered in another order than they were stored; SQLite answers in order.
        expect(remembered.toSorted()).toEqual(stored.toSorted());
      },
    ),
    { numRuns: 500 },
  );
});
