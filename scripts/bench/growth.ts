/**
 * Measures what a recall of episodes and first pages of traces cost as stored rows grow: medians in milliseconds on SQLite.
 *
 *   node_modules/.bin/bun scripts/bench/growth.ts [rows, 100000 unless given]
 */
import { sql } from "drizzle-orm";
import { newId } from "../../src/kit/id.ts";
import { storedEpisodes } from "../../src/services/daemon/memory/episodes/stored-episodes.ts";
import { tables } from "../../src/services/daemon/tables.ts";
import { listTraces } from "../../src/services/daemon/traces/list-store.ts";
import { sqliteEngine } from "../../tests/support/storage-engines.ts";

const rows = Number(process.argv[2] ?? 100_000);
await using storage = await sqliteEngine.open({ service: "daemon", tables });
const { episodes, traces } = storage.tables;
const padding = "x".repeat(2000);
const pieceRows = 1000;
for (let from = 0; from < rows; from += pieceRows) {
  const numbers = Array.from({ length: Math.min(pieceRows, rows - from) }, (_, at) => from + at);
  const idOf = (number: number) => String(number).padStart(32, "0");
  await storage.transact(async (tx) => {
    await tx.insert(episodes).values(
      numbers.map((number) => ({
        tenant: "t",
        agent: "a",
        id: idOf(number),
        sessionId: "",
        user: number % 2 === 0 ? "" : `u${number % 101}`,
        eventType: "note",
        summary: "summary",
        context: {},
        outcome: "ok",
        at: new Date(number * 1000),
        importance: (number % 97) / 97,
      })),
    );
    await tx.insert(traces).values(
      numbers.map((number) => ({
        tenant: "t",
        traceId: idOf(number),
        agent: `a${number % 5}`,
        sessionId: `s${number % 1009}`,
        status: "OK" as const,
        startedAt: new Date(number * 1000),
        durationMs: (number * 7919) % 100_003,
        bytes: padding.length,
        body: padding,
        model: number % 5000 === 0 ? "rare" : "m",
      })),
    );
  });
}

const recall = storedEpisodes({ open: async () => storage, newId, mask: (text) => text }, 5);
const scope = { tenant: "t", agent: "a", sessionId: "s", user: "u1" };
const { signal } = new AbortController();
const page = (filter: object) => listTraces(storage, "t", { ...filter, limit: 50 });
const asked: Record<string, () => Promise<unknown>> = {
  "recall of episodes": () => recall.recall(scope, { now: new Date(), signal }),
  "traces of an agent without runs by latency": () =>
    page({ agent: "none", sort: { by: "latency", isAscending: false } }),
  "traces of a session without runs": () => page({ sessionId: "none" }),
  "traces of a model without runs": () => page({ model: "none" }),
};
console.log(
  `${(await storage.read.select({ rows: sql<number>`count(*)` }).from(episodes))[0]?.rows} rows each`,
);
for (const [name, ask] of Object.entries(asked)) {
  const times: number[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    const from = performance.now();
    await ask();
    times.push(performance.now() - from);
  }
  console.log(name.padEnd(50), times.toSorted((a, b) => a - b)[3]?.toFixed(2));
}
