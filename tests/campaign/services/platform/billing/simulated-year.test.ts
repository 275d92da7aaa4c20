import { expect, test } from "bun:test";
import { BillingYear } from "../../../../support/billing-year.ts";
import { startPlatform } from "../../../../support/platform.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

onEachEngine("a simulated year, leap day included", (engine) => {
  const seeds = engine.dialect === "sqlite" ? [1, 2] : [1];
  test.each(seeds)("every bill is what a second implementation says it is, seed %i", async (seed) => {
    await using platform = await startPlatform(engine);
    const year = new BillingYear(platform, seed);
    await year.live();
    expect(year.differences).toEqual([]);
    expect(year.compared).toBeGreaterThan(60);
    const { charges } = platform.deps.storage.tables;
    const types = (await platform.deps.storage.read.select().from(charges)).map(({ type }) => type);
    expect([...new Set(types)].sort()).toEqual(["activacion", "creditos_extra", "cuota", "excedente_unidad"]);
    for (const happened of [
      "POST /api/v1/usage/events 201",
      "POST /api/v1/usage/events 409",
      "POST /api/v1/usage/events 422",
      "PUT /api/v1/admin/subscriptions/:id/plan 200",
      "POST /api/v1/admin/subscriptions/:id/cancel 200",
      "run charged",
    ]) {
      expect([happened, year.done.has(happened)]).toEqual([happened, true]);
    }
  });
});
