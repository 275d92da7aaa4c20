import { expect, test } from "bun:test";
import { migrations } from "../../../src/services/platform/migrations.gen.ts";
import { seedDefaultPlan } from "../../../src/services/platform/plans/plan-commands.ts";
import { tables } from "../../../src/services/platform/tables.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

onEachEngine("what the platform must never change", (engine) => {
  test("is refused by the database that the executable makes", async () => {
    await using storage = await engine.open({ service: "platform", tables, migrations });
    const { plans } = storage.tables;
    const now = new Date("2026-03-10T12:00:00.000Z");
    await seedDefaultPlan(storage, now);
    // Each start seeds again.
    await seedDefaultPlan(storage, new Date("2026-03-11T12:00:00.000Z"));
    for (const change of [
      () => storage.transact((tx) => tx.update(plans).set({ minFeeMicros: 1 })),
      () => storage.transact((tx) => tx.delete(plans)),
    ]) {
      const thrown = await change().catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(Error);
    }
    expect(await storage.read.select().from(plans)).toMatchObject([{ minFeeMicros: 0, createdAt: now }]);
  });
});

test.each(["sqlite", "postgres"] as const)("every such table has its triggers on %s", (dialect) => {
  const sql = migrations[dialect].map((step) => step.sql).join("\n");
  const isGuarded = (trigger: string) => made(sql, trigger) > made(sql, trigger, "DROP TRIGGER IF EXISTS");
  for (const table of ["tariffs", "plans", "usage_events", "charges", "audit"]) {
    for (const change of ["update", "delete"])
      expect([table, isGuarded(`${table}_no_${change}`)]).toEqual([table, true]);
  }
  // Old versions that no run refers to are deleted.
  expect(isGuarded("agent_versions_no_update")).toBe(true);
  expect(isGuarded("agent_versions_no_delete")).toBe(false);
});

/** Returns the position of the last statement that creates, or drops, a trigger; -1 if there is none. */
function made(
  sql: string,
  trigger: string,
  verb = "CREATE (?:OR REPLACE )?TRIGGER(?: IF NOT EXISTS)?",
): number {
  return [...sql.matchAll(new RegExp(`${verb} ["\`]${trigger}["\`]`, "g"))].at(-1)?.index ?? -1;
}
