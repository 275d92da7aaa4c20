import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { keepAnswer } from "../../../../src/services/platform/runs/idempotency/idempotency-keys.ts";
import { tables } from "../../../../src/services/platform/tables.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

// Keys are kept for 30 days, so a settlement that reads all keys of a tenant gets slower with each run.
test("keeping a run's answer reads that run's key alone", async () => {
  await using storage = await sqliteEngine.open({ service: "platform", tables });
  const query = spyOn(Database.prototype, "query");
  const answer = { status: 200, body: "{}", isOk: true };
  await storage.transact((tx) =>
    keepAnswer(tx, storage.tables, { tenantId: "t", id: "r" }, answer, new Date("2026-03-10T12:00:00.000Z")),
  );
  const at = query.mock.calls.findIndex(([text]) => text.startsWith("update"));
  const [text = ""] = query.mock.calls[at] ?? [];
  const database = query.mock.contexts[at] as Database;
  query.mockRestore();
  using plan = database.prepare<{ detail: string }, []>(`explain query plan ${text}`);
  expect(plan.all().map(({ detail }) => detail)).toEqual([
    "SEARCH idempotency_keys USING COVERING INDEX idempotency_keys_run (tenant_id=? AND invocation_id=?)",
  ]);
});
