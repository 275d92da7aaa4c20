import { newId } from "../../src/kit/id.ts";
import { listConversations } from "../../src/services/gateway/conversations/list-conversations.ts";
import { noteWords, wordsOf } from "../../src/services/gateway/desk/message-words.ts";
import { tables } from "../../src/services/gateway/tables.ts";
import { postgresEngine, sqliteEngine } from "../../tests/support/storage-engines.ts";

/*
 * Time of the inbox's search in a million messages of 50,000 conversations: `bun scripts/bench/desk-search.ts [sqlite|postgres] [messages]`.
 */
const [engineName = "sqlite", countText = "1000000"] = process.argv.slice(2);
const messages = Number(countText);
const conversationCount = Math.max(1, Math.round(messages / 20));
const words = Array.from({ length: 20_000 }, (_, at) => `w${at.toString(36)}x`);
const engine = engineName === "postgres" ? postgresEngine : sqliteEngine;
let seed = 1;
const random = () => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};
/** Few words are frequent, many are rare. */
const word = () => words[Math.floor(words.length * random() ** 3)] ?? "";

const storage = await engine.open({ tables, service: "gateway" });
const at = new Date();
const ids: string[] = [];
const begun = performance.now();
for (let from = 0; from < conversationCount; from += 500) {
  await storage.transact(async (tx) => {
    for (let n = from; n < Math.min(conversationCount, from + 500); n++) {
      const id = newId();
      const externalUser = `34600${String(n).padStart(6, "0")}`;
      ids.push(id);
      const row = {
        id,
        tenantId: "a",
        channel: "phone_messenger" as const,
        accountId: "acc",
        externalUser,
        sessionId: id,
        recipient: null,
        agentName: null,
        handoffAgent: null,
        openedAt: null,
        unreachableAt: null,
        contactName: `Person ${n}`,
        mode: "bot" as const,
        lastMessageAt: new Date(at.getTime() - n * 1000),
        seenAt: at,
        createdAt: at,
      };
      await tx
        .insert(storage.tables.conversations)
        .values(row)
        .returning({ id: storage.tables.conversations.id });
      // The words of twenty messages of eight words each.
      const text = Array.from({ length: 160 }, word).join(" ");
      for (const part of batchesOf(wordsOf(text).join(" "), 190))
        await noteWords(tx, storage.tables, { tenantId: "a", conversationId: id, text: part, at });
    }
  });
}
console.info(`${engineName}: ${messages} messages stored in ${Math.round(performance.now() - begun)} ms`);
for (const q of [
  "w0x",
  words[150] ?? "",
  words[19_000] ?? "",
  "w0x w5x",
  "w1",
  "Person 4711",
  "600 004 711",
  "nothing",
]) {
  const times: number[] = [];
  let total = 0;
  for (let n = 0; n < 7; n++) {
    const start = performance.now();
    ({ total } = await listConversations(storage, { q, person: null, now: at, limit: 50, offset: 0 }));
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  console.info(
    `${q.padEnd(14)} ${String(total).padStart(6)} found, median ${times[3]?.toFixed(1)} ms, longest ${times[6]?.toFixed(1)} ms`,
  );
}
await storage[Symbol.asyncDispose]();
process.exit(0);

function* batchesOf(text: string, count: number) {
  const all = text.split(" ");
  for (let from = 0; from < all.length; from += count) yield all.slice(from, from + count).join(" ");
}
