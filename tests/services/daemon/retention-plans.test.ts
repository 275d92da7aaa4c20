import { expect, test } from "bun:test";
import { dropOldRecords } from "../../../src/services/daemon/costs/usage-store.ts";
import { pruneCallerRuns } from "../../../src/services/daemon/durable-runs/caller-run-store.ts";
import { pruneSteps } from "../../../src/services/daemon/durable-runs/store.ts";
import { pruneApprovals } from "../../../src/services/daemon/paused-runs/store.ts";
import { pruneResponses } from "../../../src/services/daemon/responses/store.ts";
import { pruneRunFacts } from "../../../src/services/daemon/run-stats/fact-store.ts";
import { type DaemonTables, tables } from "../../../src/services/daemon/tables.ts";
import { insertTraces, pruneTraces } from "../../../src/services/daemon/traces/store.ts";
import { pruneTriggers } from "../../../src/services/daemon/triggers/store.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { plansOf } from "../../support/query-plans.ts";
import { recordedTrace } from "../../support/recorded-trace.ts";
import { sqliteEngine } from "../../support/storage-engines.ts";

/** Tables that have a row for each trigger, however often it fires. */
const small: ReadonlySet<string> = new Set(["SCAN triggers"]);

const olderThan = new Date("2026-03-10T12:00:00.000Z");

test.each<[string, (storage: Storage<DaemonTables>) => Promise<unknown>, number]>([
  ["traces", (storage) => pruneTraces(storage, { olderThan, bytesMax: 1 }), 4],
  [
    "facts of runs",
    async (storage) => {
      await insertTraces(storage, [{ tenant: "t", trace: recordedTrace("old", 0) }]);
      await pruneRunFacts(storage, olderThan);
    },
    1,
  ],
  ["steps of durable runs", (storage) => pruneSteps(storage, olderThan), 1],
  ["answers of keys", (storage) => pruneCallerRuns(storage, olderThan), 1],
  ["approvals", (storage) => pruneApprovals(storage, olderThan), 1],
  ["responses", (storage) => pruneResponses(storage, olderThan), 1],
  ["fires of triggers", (storage) => pruneTriggers(storage, olderThan), 2],
  ["calls of models", (storage) => dropOldRecords(storage, 1), 0],
])("old %s are found by an index of their age, in pieces", async (_, prune, deletions) => {
  await using storage = await sqliteEngine.open({ service: "daemon", tables });
  const plans = await plansOf(() => prune(storage), ["delete", "select"]);
  expect(plans.filter(({ text }) => text.startsWith("delete"))).toHaveLength(deletions);
  for (const { text, steps } of plans) {
    if (text.startsWith("delete")) expect(text).toContain("limit 100");
    const read = steps.filter((step) => !step.startsWith("LIST SUBQUERY") && !small.has(step));
    for (const step of read) expect(step).toMatch(/USING (COVERING |INTEGER )?(INDEX|PRIMARY KEY)/);
  }
});
