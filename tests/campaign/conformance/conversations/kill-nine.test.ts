import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ConversationArchive } from "../../../../src/engine/memory/conversation.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { newId } from "../../../../src/kit/id.ts";
import { sweepSessions } from "../../../../src/services/daemon/memory/conversations/session-sweeper.ts";
import { redisConversations } from "../../../../src/services/daemon/memory/stores/redis/redis-store.ts";
import { conversationStore } from "../../../../src/services/daemon/memory/stores/sql/sql-store.ts";
import { openRedis } from "../../../../src/storage/redis/open-redis.ts";
import { openConversationStorage } from "../../../support/conversation-backends.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { killWhen } from "../../../support/killed-process.ts";
import { postgresMissing, postgresServer } from "../../../support/postgres.ts";
import { redisMissing, redisServer } from "../../../support/redis.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

/** Returns the exchanges that the killed process acknowledged, over all its lives: the last number of each session. */
async function killed(place: string, kills: number): Promise<Map<string, number>> {
  const last = new Map<string, number>();
  const child = join(import.meta.dirname, "killed-keeper.ts");
  for (let kill = 0; kill < kills; kill++) {
    const enough = 4 + ((kill * 5) % 23);
    for (const line of await killWhen([child, place, String(kill)], (lines) => lines.length >= enough)) {
      const [session = "", number] = line.split(" ");
      last.set(session, Number(number));
    }
  }
  return last;
}

async function expectSound(store: ConversationArchive, acknowledged: Map<string, number>): Promise<void> {
  expect([...acknowledged.keys()].sort()).toEqual(["s1", "s2"]);
  for (const [sessionId, last] of acknowledged) {
    const key = { tenant: "t", agent: "staged", sessionId };
    const turns = await store.page(key, { limit: 100_000 });
    const said = turns.filter(({ role }) => role === "user").map(({ content }) => Number(content));
    // At most one exchange may have been stored without an acknowledgement, since the next number is read.
    expect(said).toEqual(said.map((_, at) => at + 1));
    expect(said.length).toBeGreaterThanOrEqual(last);
    expect(turns.map(({ seq }) => seq)).toEqual(turns.map((_, at) => at + 1));
    const summary = await store.summaries.find(key);
    const covered = summary?.text.split(" ").map(Number) ?? [];
    expect(summary?.upTo).toBeGreaterThan(0);
    // Each question once and in order: nothing lost, nothing duplicated.
    expect(covered).toEqual(said.slice(0, (summary?.upTo ?? 0) / 2));
  }
  const agent = { tenant: "t", agent: "swept" };
  const left = await store.sessions(agent, { limit: 100_000 });
  for (const { sessionId, turns } of left) {
    expect(turns).toBe(3);
    expect(await store.page({ ...agent, sessionId }, { limit: 10 })).toHaveLength(3);
  }
  const clock = new FakeClock();
  await sweepSessions({ key: agent, store, ttlMs: 1 }, clock, new AbortController().signal);
  expect(await store.sessions(agent, { limit: 10 })).toEqual([]);
}

describe("killed while it sums up and sweeps", () => {
  test("sqlite: 12 times, nothing is lost, doubled or half swept", async () => {
    using folder = temporaryFolder();
    const acknowledged = await killed(folder.path, 12);
    const storage = await openConversationStorage({ folder: folder.path });
    await expectSound(conversationStore(storage, newId), acknowledged);
    const { turns } = storage.tables;
    // No turn outlives its session.
    expect(await storage.read.$count(turns)).toBe(
      [...(await conversationStore(storage, newId).sessions({ tenant: "t", agent: "staged" }, { limit: 9 }))]
        .map((session) => session.turns)
        .reduce((sum, count) => sum + count, 0),
    );
    await storage.close();
  });

  test.skipIf(redisMissing !== undefined)(
    `redis: 8 times${redisMissing ? ` (${redisMissing})` : ""}`,
    async () => {
      const url = (await redisServer()).createDatabase();
      const acknowledged = await killed(url, 8);
      const redis = openRedis(url, systemClock);
      await expectSound(redisConversations(redis, newId), acknowledged);
      redis.close();
    },
  );

  test.skipIf(postgresMissing !== undefined)(
    `postgres: 8 times${postgresMissing ? ` (${postgresMissing})` : ""}`,
    async () => {
      const url = await (await postgresServer()).createDatabase();
      const acknowledged = await killed(url, 8);
      const storage = await openConversationStorage({ folder: "", url });
      await expectSound(conversationStore(storage, newId), acknowledged);
      await storage.close();
    },
  );
});
