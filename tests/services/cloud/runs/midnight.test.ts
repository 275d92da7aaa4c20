import { expect, test } from "bun:test";
import { deploy, startCloud } from "../../../support/cloud.ts";
import { openRunSocket } from "../../../support/platform-stream.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("a stream over UTC midnight", (engine) => {
  test("counts each query and its tokens on the day of its admission", async () => {
    await using cloud = await startCloud(engine, (deps) => ({
      ...deps,
      plans: new Map([["free", { max_agents: 5, requests_per_day: 1, max_members: 3 }]]),
    }));
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const usage = async (days: number) =>
      (await cloud.call("GET", `${ada.org}/usage?days=${days}`, { headers: ada.headers })).body;
    const gate = Promise.withResolvers<void>();
    cloud.runtime.plays(async function* () {
      yield { type: "token", content: "Hello " };
      await gate.promise;
      yield ended();
    });
    await cloud.clock.advance(12 * 3_600_000 - 1);
    const socket = await openRunSocket(cloud.url, `/api/v1${path}/stream?token=${ada.accessToken}`);
    socket.send({ query: "before" });
    expect(await socket.next()).toMatchObject({ type: "token" });
    expect(await usage(1)).toMatchObject({ total_requests: 1, remaining_today: 0 });
    await cloud.clock.advance(1);
    // The limit is reset, although the query of yesterday is still in work.
    expect(await usage(1)).toMatchObject({ total_requests: 0, total_tokens: 0, remaining_today: 1 });
    gate.resolve();
    expect(await socket.next()).toMatchObject({ type: "done" });
    expect(await usage(1)).toMatchObject({ total_requests: 0, total_tokens: 0, remaining_today: 1 });
    expect(await usage(2)).toMatchObject({ total_requests: 1, total_tokens: 120 });
    socket.send({ query: "after" });
    expect(await socket.next()).toMatchObject({ type: "token" });
    expect(await socket.next()).toMatchObject({ type: "done" });
    expect(await usage(1)).toMatchObject({ total_requests: 1, total_tokens: 120, remaining_today: 0 });
    // Tokens of yesterday's summary that the runtime reports today.
    const { storage } = cloud.deps;
    const [org] = await storage.read.select().from(storage.tables.orgs);
    cloud.runtime.lateTokens.push({
      tenant_id: org?.id ?? "",
      agent: "helper",
      day: "2026-03-10",
      tokens: 7,
    });
    expect(await usage(1)).toMatchObject({ total_tokens: 120 });
    expect(await usage(2)).toMatchObject({ total_requests: 2, total_tokens: 247 });
    socket.close();
  });
});
