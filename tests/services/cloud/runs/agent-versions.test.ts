import { expect, test } from "bun:test";
import { deploy, draft, startCloud } from "../../../support/cloud.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

test("a new agent with the name and config of a deleted one is another version for every runtime", async () => {
  await using cloud = await startCloud(sqliteEngine);
  const ada = await cloud.login("ada@example.com");
  const { headers } = ada;
  const run = async (path: string) => cloud.call("POST", `${path}/run`, { headers, body: { query: "hi" } });
  const path = await deploy(cloud, ada);
  expect((await run(path)).status).toBe(200);
  const before = cloud.runtime.agents.get("ada__helper");
  await cloud.call("DELETE", path, { headers });
  await deploy(cloud, ada);
  await run(path);
  const after = cloud.runtime.agents.get("ada__helper");
  expect(after?.spec).toEqual(before?.spec);
  expect(after?.agent_id).not.toBe(before?.agent_id);
  // A runtime of another process may still have the deleted agent, and must not run it.
  const [first, second] = cloud.runtime.runs.map((one) => one.run.checksum);
  expect([first, second]).toEqual([before?.checksum, after?.checksum]);
  expect(second).not.toBe(first);
});

test("a run whose agent the runtime has lost registers it as it is now", async () => {
  await using cloud = await startCloud(sqliteEngine);
  const ada = await cloud.login("ada@example.com");
  const { headers } = ada;
  const path = await deploy(cloud, ada, draft("helper"));
  cloud.runtime.agents.clear();
  const again = await cloud.call("POST", `${path}/run`, { headers, body: { query: "hi" } });
  expect(again.status).toBe(200);
  expect(cloud.runtime.agents.get("ada__helper")?.spec).toBeDefined();
});
