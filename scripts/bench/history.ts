/**
 * Measures reading a conversation of 50 turns, and appending an exchange to it, for each store of conversations: SQLite with and without
 * the in-process cache of the ends of sessions, the process itself, and Redis and PostgreSQL on this machine. Each read is of another one
 * of 200 sessions; p50 and p99 of all. Redis and PostgreSQL are started for it; those that are not installed are skipped by name.
 *
 *   bun scripts/bench/history.ts [--reads 5000]
 */
import type { ConversationArchive, SessionKey, Turn } from "../../src/engine/memory/conversation.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/id.ts";
import { inProcessConversations } from "../../src/services/daemon/memory/stores/in-process-store.ts";
import { redisConversations } from "../../src/services/daemon/memory/stores/redis/redis-store.ts";
import { cacheSessions } from "../../src/services/daemon/memory/stores/session-cache.ts";
import { conversationStore } from "../../src/services/daemon/memory/stores/sql/sql-store.ts";
import { openRedis } from "../../src/storage/redis/open-redis.ts";
import { openConversationStorage } from "../../tests/support/conversation-backends.ts";
import { postgresMissing, postgresServer } from "../../tests/support/postgres.ts";
import { redisMissing, redisServer } from "../../tests/support/redis.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";
import { quantiles } from "./figures.ts";
import { readOptions } from "./options.ts";

const { reads } = readOptions({ reads: 5_000 });
const sessions = 200;
const turns = 50;
const goalMicros = 150;

const keyOf = (number: number): SessionKey => ({ tenant: "bench", agent: "bench", sessionId: `s${number}` });
const exchange = (number: number): Turn[] =>
  (["user", "assistant"] as const).map((role) => ({
    role,
    content: `${role} ${number}: ${"a sentence of some forty characters or so. ".repeat(5)}`,
    at: systemClock.now(),
    tokenCount: 55,
    metadata: { trace_id: newId() },
  }));

async function timed(count: number, work: (index: number) => Promise<unknown>): Promise<string> {
  const micros: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedMs = performance.now();
    await work(index);
    micros.push((performance.now() - startedMs) * 1000);
  }
  return quantiles(micros, [0.5, 0.99], 0)
    .map((cell) => cell.padStart(7))
    .join("");
}

async function measure(name: string, store: ConversationArchive): Promise<void> {
  for (let number = 0; number < sessions; number++) {
    const all = Array.from({ length: turns / 2 }, (_, index) => exchange(index)).flat();
    await store.append(keyOf(number), all);
  }
  const read = (index: number) => store.recent(keyOf(index % sessions), turns);
  await timed(sessions * 2, read);
  const reading = await timed(reads, read);
  const appending = await timed(Math.min(reads, 500), (index) => store.append(keyOf(index), exchange(index)));
  console.log(`  ${name.padEnd(34)}${reading}   ${appending}`);
}

console.log(`read ${turns} turns, append 2, in µs; the goal of a read is ${goalMicros}`);
console.log(
  `  ${"".padEnd(34)}${"p50".padStart(7)}${"p99".padStart(7)}   ${"p50".padStart(7)}${"p99".padStart(7)}`,
);
using folder = temporaryFolder();
const sqlite = await openConversationStorage({ folder: folder.path });
await measure("sqlite", conversationStore(sqlite, newId));
await sqlite.close();
using second = temporaryFolder();
const cached = await openConversationStorage({ folder: second.path });
await measure("sqlite, remembered in the process", cacheSessions(conversationStore(cached, newId)));
await cached.close();
await measure("memory", inProcessConversations());
if (redisMissing === undefined) {
  const redis = openRedis((await redisServer()).createDatabase(), systemClock);
  await measure("redis (every append on disk)", redisConversations(redis, newId));
  redis.close();
} else console.log(`  redis: ${redisMissing}`);
if (postgresMissing === undefined) {
  const url = await (await postgresServer()).createDatabase();
  const postgres = await openConversationStorage({ folder: "", url });
  await measure("postgres (without fsync)", conversationStore(postgres, newId));
  await postgres.close();
} else console.log(`  postgres: ${postgresMissing}`);
process.exit(0);
