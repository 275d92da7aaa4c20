import { expect, test } from "bun:test";
import { WorkerGroup } from "../../../src/kit/worker.ts";
import { platformWorkers } from "../../../src/services/platform/workers.ts";
import { onEachEngine } from "../../support/storage-engines.ts";
import { asOwner, create, platformWithOwner, specOf } from "./agents/sent-spec.ts";

onEachEngine("the platform's workers", (engine) => {
  test("run until they are stopped, and process what waits for them", async () => {
    await using platform = await platformWithOwner(engine);
    const { deps, clock, owner, runtime } = platform;
    await platform.call("POST", "/auth/register", {
      body: { email: "ada@example.com", password: "correct horse", displayName: "Ada" },
    });
    await create(platform, specOf("support"));
    await clock.advance(7 * 24 * 60 * 60_000);
    const stray = `t_${owner.id}__gone`;
    await asOwner(platform, "GET", "/api/v1/agents");
    const group = new WorkerGroup(platformWorkers(deps), deps);
    group.start();
    runtime.agents.set(stray, { tenant_id: owner.id, agent_id: "a", name: "gone", checksum: "c", spec: {} });
    const { read, tables } = deps.storage;
    const isDone = async () => {
      const keys = await read.select().from(tables.apiKeys);
      const tokens = await read.select().from(tables.refreshTokens);
      return keys[0]?.lastUsedAt != null && tokens.length === 0 && !runtime.agents.has(stray);
    };
    while (!(await isDone())) await clock.advance(10_000);
    expect(group.states().filter(({ status, failures }) => status !== "running" || failures > 0)).toEqual([]);
    expect((await asOwner(platform, "GET", "/api/v1/agents/support")).status).toBe(200);
    await group.stop(10_000);
    expect(new Set(group.states().map(({ status }) => status))).toEqual(new Set(["stopped"]));
  });
});
