import { writeSync } from "node:fs";
import type { ModelRequest } from "../../../../src/engine/models/model.ts";
import { summarizeSession } from "../../../../src/engine/run/memory/summarize-session.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { newId } from "../../../../src/kit/id.ts";
import { sweepSessions } from "../../../../src/services/daemon/memory/conversations/session-sweeper.ts";
import { redisConversations } from "../../../../src/services/daemon/memory/stores/redis/redis-store.ts";
import { conversationStore } from "../../../../src/services/daemon/memory/stores/sql/sql-store.ts";
import { openDataFolder } from "../../../../src/storage/files/data-folder.ts";
import { openRedis } from "../../../../src/storage/redis/open-redis.ts";
import { openConversationStorage } from "../../../support/conversation-backends.ts";
import { says, stage } from "../../../support/staged-run.ts";

// Appends to sessions, summarizes them and sweeps others, in the store of its first argument, until it is killed. Prints each stored
// exchange as `session number`. The second argument distinguishes its start from earlier ones, whose claims are over.
const [place = "", start = "0"] = process.argv.slice(2);

async function openStore() {
  if (place.startsWith("redis:")) return redisConversations(openRedis(place, systemClock), newId);
  const isServer = place.startsWith("postgres:");
  if (!isServer) openDataFolder(place);
  const storage = await openConversationStorage(isServer ? { folder: "", url: place } : { folder: place });
  return conversationStore(storage, newId);
}

const store = await openStore();
const run = stage({
  memory: store,
  spec: { memory: { conversational: { strategy: "summary", max_turns: 4 } } },
  roles: {
    summarizer: [
      // Its summary is the numbers of all questions that it read, in their order.
      async function* (request: ModelRequest) {
        const text = request.messages.at(-1)?.content ?? "";
        yield* says([...text.matchAll(/\b\d+\b/g)].join(" "));
      },
    ],
  },
});
await run.clock.advance(200_000 * Number(start));

const talk = async (sessionId: string) => {
  const key = { tenant: "t", agent: "staged", sessionId };
  for (;;) {
    const [last] = await store.page(key, { limit: 1 });
    const number = ((last?.seq ?? 0) + 2) / 2;
    const turn = { at: run.clock.now(), tokenCount: 1, metadata: {} };
    await store.append(key, [
      { role: "user", content: String(number), ...turn },
      { role: "assistant", content: "yes", ...turn },
    ]);
    writeSync(1, `${sessionId} ${number}\n`);
    await summarizeSession(run.ports, run.agent, key, new AbortController().signal);
  }
};

const sweep = async () => {
  const agent = { tenant: "t", agent: "swept" };
  for (;;) {
    const turn = { role: "user" as const, content: "x", at: new Date(0), tokenCount: 1, metadata: {} };
    const old = Array.from({ length: 12 }, () => ({ ...agent, sessionId: newId() }));
    await Promise.all(old.map((key) => store.append(key, [turn, turn, turn])));
    await sweepSessions({ key: agent, store, ttlMs: 1 }, run.clock, new AbortController().signal);
  }
};

await Promise.all([talk("s1"), talk("s2"), sweep()]);
