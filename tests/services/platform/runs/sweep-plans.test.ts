import { expect, test } from "bun:test";
import { dropRunLeftovers } from "../../../../src/services/platform/runs/sweep/drop-run-leftovers.ts";
import { sweepInterrupted } from "../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { tables } from "../../../../src/services/platform/tables.ts";
import { plansOf } from "../../../support/query-plans.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

const now = new Date("2026-03-10T12:00:00.000Z");

// Runs are kept for ever, and the sweep runs at the start and each minute.
test.each([true, false])(
  "a sweep reads only runs in progress, however many ended (durable: %p)",
  async (durable) => {
    await using storage = await sqliteEngine.open({ service: "platform", tables });
    const plans = await plansOf(() => sweepInterrupted(storage, now, undefined, { durable }), ["select"]);
    expect(plans.length).toBeGreaterThan(0);
    for (const { steps } of plans)
      expect(steps[0]).toMatch(/^(SEARCH|SCAN) invocations USING INDEX invocations_(due|open)/);
  },
);

test("leftovers are deleted by their age, which an index has", async () => {
  await using storage = await sqliteEngine.open({ service: "platform", tables });
  const plans = await plansOf(() => dropRunLeftovers(storage, now), ["delete"]);
  expect(plans).toHaveLength(3);
  for (const { steps } of plans) expect(steps.join("\n")).toMatch(/SEARCH \w+ USING COVERING INDEX/);
});
