import { describe, expect, test } from "bun:test";
import type { ConversationArchive, Turn } from "../../../../src/engine/memory/conversation.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { newId } from "../../../../src/kit/id.ts";
import { redisConversations } from "../../../../src/services/daemon/memory/stores/redis/redis-store.ts";
import { conversationStore } from "../../../../src/services/daemon/memory/stores/sql/sql-store.ts";
import { openRedis } from "../../../../src/storage/redis/open-redis.ts";
import { redisScript } from "../../../../src/storage/redis/redis-script.ts";
import { openConversationStorage } from "../../../support/conversation-backends.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { ownPostgresServer, postgresMissing } from "../../../support/postgres.ts";
import { redisMissing, redisServer } from "../../../support/redis.ts";
import { outcome, refusal } from "../../../support/refusal.ts";

const agent = { tenant: "t", agent: "a" };
const outages = 4;
const sessions = ["s1", "s2", "s3"];

const exchange = (name: string): Turn[] =>
  (["user", "assistant"] as const).map((role) => ({
    role,
    content: `${role} ${name}`,
    at: new Date(1000),
    tokenCount: 1,
    metadata: {},
  }));

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Appends while the server crashes and restarts. Returns the acknowledged exchanges. */
async function writtenThrough(
  store: ConversationArchive,
  server: { crash(): Promise<void>; start(): Promise<void> },
): Promise<Map<string, string[]>> {
  const acknowledged = new Map<string, string[]>(sessions.map((session) => [session, []]));
  const faults: unknown[] = [];
  let isOver = false;
  let count = 0;
  const write = async (sessionId: string) => {
    while (!isOver) {
      const name = String(++count);
      try {
        await store.append({ ...agent, sessionId }, exchange(name));
        acknowledged.get(sessionId)?.push(name);
      } catch (thrown) {
        faults.push(thrown);
        await nextTurn();
      }
    }
  };
  const writers = [...sessions, ...sessions].map(write);
  const written = () => [...acknowledged.values()].flat().length;
  for (let outage = 0; outage < outages; outage++) {
    const before = written();
    while (written() < before + 20) await nextTurn();
    await server.crash();
    const failed = faults.length;
    while (faults.length < failed + 10) await nextTurn();
    await server.start();
  }
  const before = written();
  while (written() < before + 20) await nextTurn();
  isOver = true;
  await Promise.all(writers);
  for (const fault of faults) {
    expect(fault).toBeInstanceOf(AppError);
    expect(fault).toMatchObject({ kind: "unavailable", code: "storage_unavailable" });
  }
  return acknowledged;
}

async function expectWhole(store: ConversationArchive, acknowledged: Map<string, string[]>): Promise<void> {
  for (const [sessionId, names] of acknowledged) {
    const stored = await store.page({ ...agent, sessionId }, { limit: 100_000 });
    const questions = stored
      .filter((_, at) => at % 2 === 0)
      .map(({ content }) => content.slice("user ".length));
    expect(stored.filter((_, at) => at % 2 === 1).map(({ content }) => content)).toEqual(
      questions.map((name) => `assistant ${name}`),
    );
    expect(names.filter((name) => !questions.includes(name))).toEqual([]);
    expect(new Set(questions).size).toBe(questions.length);
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, at) => at + 1));
  }
  const listed = await store.sessions(agent, { limit: 10 });
  for (const { sessionId, turns } of listed)
    expect(await store.page({ ...agent, sessionId }, { limit: 100_000 })).toHaveLength(turns);
}

const redisReason = redisMissing === undefined ? "" : ` (${redisMissing})`;

describe.skipIf(redisMissing !== undefined)(`a Redis server${redisReason}`, () => {
  test(`restarted ${outages} times under load loses and doubles nothing that it acknowledged`, async () => {
    const server = await redisServer();
    const redis = openRedis(server.createDatabase(), systemClock);
    const store = redisConversations(redis, newId);
    await expectWhole(store, await writtenThrough(store, server));
    redis.close();
  });

  test("that hangs times out, is then refused at once, and is used again once it works", async () => {
    const server = await redisServer();
    const clock = new FakeClock();
    const redis = openRedis(server.createDatabase(), clock);
    const store = redisConversations(redis, newId);
    await store.append({ ...agent, sessionId: "s" }, exchange("1"));
    server.freeze();
    try {
      const reading = refusal(store.recent({ ...agent, sessionId: "s" }, 5));
      const asked = refusal(redis.send("PING", []));
      await clock.advance(5_000);
      expect(await reading).toMatchObject({ kind: "unavailable", code: "storage_unavailable" });
      expect(await asked).toMatchObject({ kind: "unavailable", code: "storage_unavailable" });
      // Time stands still: these calls wait for nothing.
      expect(await refusal(redis.send("PING", []))).toMatchObject({ code: "storage_unavailable" });
      expect(await refusal(store.recent({ ...agent, sessionId: "s" }, 5))).toMatchObject({
        code: "storage_unavailable",
      });
    } finally {
      server.thaw();
    }
    const isBack = async () => (await outcome(redis.send("PING", []))) === undefined;
    while (!(await isBack())) await clock.advance(500);
    expect(await store.recent({ ...agent, sessionId: "s" }, 5)).toHaveLength(2);
    redis.close();
    expect(await refusal(redis.send("PING", []))).toMatchObject({ code: "storage_closed" });
  });

  test("that forgot the scripts gets them again", async () => {
    const server = await redisServer();
    const redis = openRedis(server.createDatabase(), systemClock);
    const script = redisScript("return ARGV[1] .. KEYS[1]");
    expect(await redis.run(script, ["k"], ["a"])).toBe("ak");
    await redis.send("SCRIPT", ["FLUSH"]);
    expect(await redis.run(script, ["k"], ["b"])).toBe("bk");
    expect(await refusal(redis.run(redisScript("return redis.call('GET')"), [], []))).toMatchObject({
      kind: "internal",
    });
    redis.close();
  });
});

const postgresReason = postgresMissing === undefined ? "" : ` (${postgresMissing})`;

describe.skipIf(postgresMissing !== undefined)(`a PostgreSQL server${postgresReason}`, () => {
  test(`restarted ${outages} times under load loses and doubles nothing that it acknowledged`, async () => {
    const server = await ownPostgresServer();
    const storage = await openConversationStorage({ folder: "", url: await server.createDatabase() });
    const store = conversationStore(storage, newId);
    await expectWhole(store, await writtenThrough(store, server));
    await storage.close();
  });
});
