import { expect, test } from "bun:test";
import { addPlans, plan, subscribe } from "../../../support/billing.ts";
import { platformWithAgent } from "../../../support/platform-agent.ts";
import { queriesBuiltBy } from "../../../support/prepared-queries.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

for (const isSubscribed of [false, true]) {
  test(`a run ${isSubscribed ? "under a subscription" : "of a tenant"} builds no query once another ran`, async () => {
    await using platform = await platformWithAgent(sqliteEngine, { rate: 1000 });
    const { call, owner, deps } = platform;
    const { storage } = deps;
    if (isSubscribed) {
      await addPlans(platform, plan());
      const { id } = await subscribe(platform, owner);
      await storage.transact((tx) => tx.update(storage.tables.agents).set({ subscriptionId: id }));
    }
    platform.runtime.plays(async function* () {
      yield ended();
    });
    const run = async (key: string) => {
      const headers = { ...owner.asProgram, "idempotency-key": key };
      const answer = await call("POST", "/api/v1/agents/support/run", { headers, body: { query: "hi" } });
      expect(answer).toMatchObject({ status: 200 });
    };
    await run("first");
    expect(await queriesBuiltBy(() => run("second"))).toEqual([]);
    // The count sees queries that are built for one request.
    expect(
      await queriesBuiltBy(() => call("GET", "/api/v1/agents", { headers: owner.asProgram })),
    ).not.toEqual([]);
  });
}
