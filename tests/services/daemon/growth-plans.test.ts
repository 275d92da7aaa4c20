import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { newId } from "../../../src/kit/id.ts";
import { storedEpisodes } from "../../../src/services/daemon/memory/episodes/stored-episodes.ts";
import { type DaemonTables, tables } from "../../../src/services/daemon/tables.ts";
import { listTraces } from "../../../src/services/daemon/traces/list-store.ts";
import type { TraceFilter } from "../../../src/services/daemon/traces/trace-filter.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { sqliteEngine } from "../../support/storage-engines.ts";

/** Returns the steps of SQLite's plans for the statements that `perform` executes. */
async function plansOf(perform: (storage: Storage<DaemonTables>) => Promise<unknown>): Promise<string[]> {
  await using storage = await sqliteEngine.open({ service: "daemon", tables });
  const query = spyOn(Database.prototype, "query");
  await perform(storage);
  const read = query.mock.calls.flatMap(([text], at) =>
    text.startsWith("select") ? [{ text, database: query.mock.contexts[at] as Database }] : [],
  );
  query.mockRestore();
  return read.flatMap(({ text, database }) => {
    using plan = database.prepare<{ detail: string }, []>(`explain query plan ${text}`);
    return plan.all().map(({ detail }) => detail);
  });
}

test("a recall reads the heads of two indexes for each user, and what is next, and sorts nothing", async () => {
  const plan = await plansOf((storage) =>
    storedEpisodes({ open: async () => storage, newId, mask: (text) => text }, 5).recall(
      { tenant: "t", agent: "a", sessionId: "s", user: "u" },
      { now: new Date(0), signal: new AbortController().signal },
    ),
  );
  expect(plan).toHaveLength(6);
  for (const step of plan) expect(step).toMatch(/USING COVERING INDEX episodes_(newest|important)_of_user/);
});

const filters: TraceFilter[] = [{}, { agent: "a" }, { sessionId: "s" }, { model: "m" }];
/** Sorts whose order an index has, for each filter. */
const sortsOf = ({ sessionId, model }: TraceFilter) =>
  sessionId === undefined && model === undefined
    ? (["time", "latency", "cost"] as const)
    : (["time"] as const);

for (const filter of filters) {
  const [name = "nothing"] = Object.keys(filter);
  const column = { agent: "agent", sessionId: "session_id", model: "model" }[name];
  for (const by of sortsOf(filter)) {
    for (const isAscending of [true, false]) {
      test(`traces filtered by ${name} and sorted by ${by}, ${isAscending ? "up" : "down"}, are read in order from an index`, async () => {
        const plan = await plansOf((storage) =>
          listTraces(storage, "t", { ...filter, sort: { by, isAscending }, limit: 50 }),
        );
        expect(plan).toHaveLength(1);
        expect(plan[0]).toContain(column === undefined ? "(tenant=?" : `(tenant=? AND ${column}=?`);
      });
    }
  }
}
