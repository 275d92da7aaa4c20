import { expect, test } from "bun:test";
import { listOutbox } from "../../../src/services/gateway/outbox/list-outbox.ts";
import { tables } from "../../../src/services/gateway/tables.ts";
import { dropOldRecords } from "../../../src/services/gateway/workers.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { plansOf } from "../../support/query-plans.ts";
import { sqliteEngine } from "../../support/storage-engines.ts";

test("old records of every kind are found by an index of their age, in pieces", async () => {
  await using storage = await sqliteEngine.open({ service: "gateway", tables });
  const plans = await plansOf(() => dropOldRecords({ storage, clock: new FakeClock() }), ["delete"]);
  expect(plans).toHaveLength(14);
  for (const { text, steps } of plans) {
    expect(text).toContain("limit 100");
    expect(steps.join("\n")).toMatch(/SEARCH \w+ USING (COVERING )?INDEX \w+_(age|recent)/);
  }
});

test.each([
  ["messages that wait", { status: "pending" as const }, "outbox_unsent"],
  ["messages that were refused", { tenant: "t", delivery_status: "failed" as const }, "outbox_undelivered"],
])("a list of %s is read by its own index, and its total from sums", async (_, filter, index) => {
  await using storage = await sqliteEngine.open({ service: "gateway", tables });
  const [rows, total] = await plansOf(
    () => listOutbox(storage, { ...filter, limit: 50, offset: 0 }),
    ["select"],
  );
  expect(rows?.steps.join("\n")).toContain(`USING INDEX ${index}`);
  expect(total?.steps.join("\n")).toContain("outbox_sums");
});
