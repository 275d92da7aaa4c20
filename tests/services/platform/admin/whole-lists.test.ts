import { expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { addPlans, plan, subscribe, tariff } from "../../../support/billing.ts";
import { asOperator, startPlatform } from "../../../support/platform.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

/** More than a page of the lists that the documents show with pages. */
const count = 61;

/** Operators' lists that the documents show without pages, with the field of their entries. */
const lists = [
  ["tenants", "tenants"],
  ["agents", "agents"],
  ["subscriptions", "subscriptions"],
  ["billing-periods/overdue", "periods"],
] as const;

test("operators' lists without pages are whole, and come in pages for those who ask", async () => {
  await using platform = await startPlatform(sqliteEngine);
  const { call, clock, deps } = platform;
  const headers = asOperator;
  await call("POST", "/api/v1/admin/tariffs", { headers, body: tariff() });
  await addPlans(platform, plan());
  for (let one = 0; one < count; one++) {
    const tenant = await platform.tenant();
    await subscribe(platform, tenant);
    const at = clock.now();
    await deps.storage.transact((tx) =>
      tx.insert(deps.storage.tables.agents).values({
        ...{ tenantId: tenant.id, id: newId(), name: "support", currentVersion: 1 },
        ...{ createdAt: at, updatedAt: at },
      }),
    );
  }
  await clock.advance(40 * 24 * 60 * 60_000);
  for (const [path, field] of lists) {
    const read = async (query: string) =>
      (await call("GET", `/api/v1/admin/${path}${query}`, { headers })).body;
    const whole = await read("");
    expect([path, whole[field].length >= count, whole.next_cursor]).toEqual([path, true, undefined]);
    const paged = [];
    for (let cursor = ""; ; ) {
      const page = await read(`?limit=50${cursor}`);
      paged.push(...page[field]);
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect([path, paged]).toEqual([path, whole[field]]);
  }
});
