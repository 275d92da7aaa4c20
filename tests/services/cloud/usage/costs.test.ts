import { expect, test } from "bun:test";
import type { RuntimeUsage } from "../../../../src/contracts/runtime/runs.ts";
import { deploy, startCloud, type TestCloud } from "../../../support/cloud.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const [line] = ended().usage;
const used = (change: Partial<RuntimeUsage> = {}): RuntimeUsage => ({ ...(line as RuntimeUsage), ...change });
const answers = (cloud: TestCloud, ...usage: RuntimeUsage[]) =>
  cloud.runtime.plays(async function* () {
    yield ended({ usage });
  });
const sums = (requests: number, tokens: number, cost_micros: number, unpriced_tokens = 0) => ({
  requests,
  tokens,
  cost_micros,
  unpriced_tokens,
});

onEachEngine("costs of an org's runs", (engine) => {
  test("are known by agent, model and key; a price that nobody knows is no $0", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    await deploy(cloud, ada);
    const key = await cloud.call("POST", `${ada.org}/keys`, { headers: ada.headers, body: { name: "shop" } });
    const run = (headers: Record<string, string>, way = "run") =>
      cloud.call("POST", `${ada.org}/agents/helper/${way}`, { headers, body: { query: "hi" } });
    const usage = async () => (await cloud.call("GET", `${ada.org}/usage`, { headers: ada.headers })).body;

    answers(cloud, used({ cost_micros: 40 }), used({ model: "judge", provider: " LAB", cost_micros: 2 }));
    await run({ "x-api-key": key.body.secret });
    answers(cloud, used({ model: "new", cost_micros: null }));
    await run(ada.headers);
    answers(cloud, used({ cost_micros: 5 }));
    await run(ada.headers, "test");
    const [org] = await cloud.deps.storage.read.select().from(cloud.deps.storage.tables.orgs);
    const late = { tenant_id: org?.id ?? "", agent: "helper", day: "2026-03-10", provider: "lab" };
    cloud.runtime.lateTokens.push({ ...late, model: "sum", tokens: 9, cost_micros: 3, unpriced_tokens: 0 });
    const report = await usage();
    expect(report).toMatchObject({ total_requests: 2, total_tokens: 369, cost_micros: 50 });
    expect(report.unpriced_tokens).toBe(120);
    expect(report.by_agent).toEqual([{ agent: "helper", ...sums(2, 369, 50, 120) }]);
    expect(report.by_model).toEqual([
      { provider: "lab", model: "test-model", ...sums(2, 240, 45) },
      { provider: "lab", model: "sum", ...sums(0, 9, 3) },
      { provider: "lab", model: "judge", ...sums(1, 120, 2) },
      { provider: "lab", model: "new", ...sums(1, 120, 0, 120) },
    ]);
    expect(report.by_key).toEqual([
      { key_id: key.body.id, name: "shop", caused_by: "key", ...sums(1, 240, 42) },
      { key_id: null, name: "Tests", caused_by: "test", ...sums(1, 120, 5) },
      { key_id: null, name: "After runs", caused_by: "late", ...sums(0, 9, 3) },
      { key_id: null, name: "No key", caused_by: "person", ...sums(1, 120, 0, 120) },
    ]);
  });

  test("are unknown for runs of earlier versions and of runtimes that send no costs", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const { storage } = cloud.deps;
    const [org] = await storage.read.select().from(storage.tables.orgs);
    const place = { orgId: org?.id ?? "", day: "2026-03-09", agent: "helper" };
    await storage.transact((tx) =>
      tx.insert(storage.tables.agentUsage).values({ ...place, requests: 4, tokens: 100 }),
    );
    cloud.runtime.lateTokens.push({ tenant_id: place.orgId, agent: "helper", day: place.day, tokens: 7 });
    const { body } = await cloud.call("GET", `${ada.org}/usage`, { headers: ada.headers });
    expect(body).toMatchObject({ total_tokens: 107, cost_micros: 0, unpriced_tokens: 107, by_model: [] });
    expect(body.by_agent).toEqual([{ agent: "helper", ...sums(4, 107, 0, 107) }]);
  });

  test("of another org don't appear", async () => {
    await using cloud = await startCloud(engine);
    const [ada, eve] = [await cloud.login("ada@example.com"), await cloud.login("eve@example.com")];
    await deploy(cloud, ada);
    answers(cloud, used({ cost_micros: 40 }));
    await cloud.call("POST", `${ada.org}/agents/helper/run`, { headers: ada.headers, body: { query: "hi" } });
    const { body } = await cloud.call("GET", `${eve.org}/usage`, { headers: eve.headers });
    expect(body).toMatchObject({ cost_micros: 0, by_agent: [], by_model: [], by_key: [] });
  });
});
