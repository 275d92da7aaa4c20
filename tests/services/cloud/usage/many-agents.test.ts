import { expect, test } from "bun:test";
import { rankedAgentsMax } from "../../../../src/contracts/cloud/usage.ts";
import { dayMs, dayOf } from "../../../../src/kit/utc-calendar.ts";
import { startCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("the usage of an org with many agents", (engine) => {
  test("lists those with the most runs, and its sums count them all", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    await cloud.login("eve@example.com");
    const { storage, clock } = cloud.deps;
    const { orgs, agentUsage } = storage.tables;
    const found = await storage.read.select({ id: orgs.id, slug: orgs.slug }).from(orgs);
    const orgId = (own: boolean) => found.find(({ slug }) => ada.org.endsWith(`/${slug}`) === own)?.id ?? "";
    const daysAgo = (days: number) => dayOf(new Date(clock.now().getTime() - days * dayMs));
    const count = 1200;
    const row = (day: string, at: number, org = orgId(true)) => ({
      orgId: org,
      day,
      agent: `a${String(at).padStart(5, "0")}`,
      requests: at + 1,
      tokens: 2,
    });
    await storage.transact(async (tx) => {
      for (let at = 0; at < count; at++) await tx.insert(agentUsage).values(row(daysAgo(1), at));
      await tx
        .insert(agentUsage)
        .values([row(daysAgo(0), 0), row(daysAgo(2), 0), row(daysAgo(1), 7, orgId(false))]);
    });
    const { status, body } = await cloud.call("GET", `${ada.org}/usage?days=2&by_day=true`, {
      headers: ada.headers,
    });
    expect(status).toBe(200);
    const runs = (count * (count + 1)) / 2;
    expect(body).toMatchObject({ total_requests: runs + 1, total_tokens: 2 * count + 2 });
    expect(body.by_agent).toHaveLength(rankedAgentsMax);
    expect(body.by_agent[0]).toEqual({
      agent: "a01199",
      requests: count,
      tokens: 2,
      cost_micros: 0,
      unpriced_tokens: 2,
    });
    expect(body.by_agent.at(-1).requests).toBe(count - rankedAgentsMax + 1);
    expect(body.by_day).toMatchObject([
      { day: daysAgo(1), requests: runs, tokens: 2 * count },
      { day: daysAgo(0), requests: 1, tokens: 2 },
    ]);
  });
});
