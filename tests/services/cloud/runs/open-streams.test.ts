import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { OpenStreams, streamsMax } from "../../../../src/services/cloud/runs/open-streams.ts";
import { deploy, startCloud } from "../../../support/cloud.ts";
import { openRunSocket } from "../../../support/platform-stream.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("open streams", (engine) => {
  test("of several processes on one database are exactly the limit together", async () => {
    await using cloud = await startCloud(engine);
    await cloud.login("ada@example.com");
    const { storage } = cloud.deps;
    const [org] = await storage.read.select().from(storage.tables.orgs);
    const processes = [1, 2, 3].map(() => new OpenStreams(cloud.deps));
    const enter = async (number: number) => {
      try {
        return await processes[number % 3]?.enter(org?.id ?? "");
      } catch (thrown) {
        return thrown instanceof AppError ? thrown.code : "broken";
      }
    };
    const entered = await Promise.all(Array.from({ length: 30 }, (_, number) => enter(number)));
    const leaves = entered.filter((one) => typeof one === "function");
    expect(leaves).toHaveLength(streamsMax);
    expect(entered.filter((one) => one === "too_many_streams")).toHaveLength(30 - streamsMax);
    await leaves[0]?.();
    await leaves[0]?.();
    // Leaving twice frees one place.
    expect(typeof (await enter(0))).toBe("function");
    expect(await enter(1)).toBe("too_many_streams");
  });

  test("of a dead process are freed, those of a living one are kept and restored", async () => {
    await using cloud = await startCloud(engine);
    await cloud.login("ada@example.com");
    const { storage } = cloud.deps;
    const { openStreams, orgs } = storage.tables;
    const [org] = await storage.read.select().from(orgs);
    const orgId = org?.id ?? "";
    const past = new Date(cloud.clock.now().getTime() - 1);
    const dead = { owner: "dead", orgId, expiresAt: engine.dialect === "sqlite" ? past : new Date(0) };
    await storage.transact((tx) =>
      tx.insert(openStreams).values(["a", "b", "c", "d", "e"].map((id) => ({ ...dead, id }))),
    );
    const streams = new OpenStreams(cloud.deps);
    const leave = await streams.enter(orgId);
    await streams.renew();
    const ids = async () => (await storage.read.select().from(openStreams)).map(({ owner }) => owner);
    expect(await ids()).toHaveLength(1);
    // Another process took it for dead.
    await storage.transact((tx) => tx.delete(openStreams));
    await streams.renew();
    expect(await ids()).toHaveLength(1);
    await leave();
    expect(await ids()).toEqual([]);
  });

  test("of a key that is revoked in the middle: the current query finishes, the next one is 401 and ends the stream", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const { body: key } = await cloud.call("POST", `${ada.org}/keys`, {
      headers: ada.headers,
      body: { name: "k" },
    });
    const headers = { "x-api-key": key.secret };
    const { body } = await cloud.call("POST", `${path}/stream-ticket`, { headers });
    const socket = await openRunSocket(cloud.url, `/api/v1${path}/stream?ticket=${body.ticket}`);
    const gate = Promise.withResolvers<void>();
    const { ended } = await import("../../../support/staged-runtime.ts");
    cloud.runtime.plays(async function* () {
      yield { type: "token", content: "Hello " };
      await gate.promise;
      yield { type: "token", content: "there." };
      yield ended();
    });
    socket.send({ query: "hi" });
    expect(await socket.next()).toEqual({ type: "token", content: "Hello " });
    const revoked = await cloud.call("DELETE", `${ada.org}/keys/${key.id}`, { headers: ada.headers });
    expect(revoked.status).toBe(204);
    gate.resolve();
    expect(await socket.next()).toEqual({ type: "token", content: "there." });
    expect(await socket.next()).toMatchObject({ type: "done" });
    socket.send({ query: "again" });
    expect(await socket.next()).toMatchObject({ type: "error", error: "unauthorized", status: 401 });
    expect(await socket.closed).toBe(1008);
    expect(cloud.runtime.runs).toHaveLength(1);
    expect((await cloud.call("POST", `${path}/run`, { headers, body: { query: "x" } })).status).toBe(401);
  });

  test("a run beyond the daily limit is an error frame with 429, and the socket stays open", async () => {
    await using cloud = await startCloud(engine, (deps) => ({
      ...deps,
      plans: new Map([["free", { max_agents: 5, requests_per_day: 1, max_members: 3 }]]),
    }));
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const socket = await openRunSocket(cloud.url, `/api/v1${path}/stream?token=${ada.accessToken}`);
    socket.send({ query: "hi" });
    await socket.next();
    expect(await socket.next()).toMatchObject({ type: "done" });
    for (const _ of [1, 2]) {
      socket.send({ query: "hi" });
      expect(await socket.next()).toMatchObject({ type: "error", error: "daily_limit_reached", status: 429 });
    }
    const late = await cloud.call("GET", `${path}/stream?token=${ada.accessToken}`);
    expect(late).toMatchObject({ status: 429, body: { error: "daily_limit_reached" } });
    await cloud.clock.advance(12 * 3_600_000);
    socket.send({ query: "hi" });
    await socket.next();
    expect(await socket.next()).toMatchObject({ type: "done" });
    socket.close();
  });
});
