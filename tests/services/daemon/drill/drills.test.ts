import { expect, test } from "bun:test";
import { performDrills } from "../../../../src/command/perform-drills.ts";
import type { DrillEvent } from "../../../../src/contracts/drill.ts";
import { FaultSwitch } from "../../../../src/kit/outages/fault-switch.ts";
import { createDrillModels, endpointOf } from "../../../../src/services/daemon/drill/drill-models.ts";
import type { DrillAnswer, DrillWorld } from "../../../../src/services/daemon/drill/drill-world.ts";
import { drills, runDrills } from "../../../../src/services/daemon/drill/run-drills.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { socketTurns } from "../../../support/socket-turns.ts";

/** Performs drills over the control socket of a daemon while its clock moves. */
async function drilled(daemon: TestDaemon, only: string[], everyone = false): Promise<DrillEvent[]> {
  const events: DrillEvent[] = [];
  let isOver = false;
  const reading = (async () => {
    const running = performDrills(daemon.config, { only, everyone }, new AbortController().signal);
    for await (const event of running) events.push(event);
  })().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await Promise.race([reading, socketTurns(24)]);
    if (!isOver) await daemon.clock.advance(50);
  }
  await reading;
  return events;
}

const brokenIn = (events: readonly DrillEvent[]) =>
  events.flatMap((event) => (event.type === "checked" && !event.check.held ? [event.check] : []));

const providerNames = drills.filter(({ scope }) => scope === "drill").map(({ name }) => name);

test("a sound daemon holds every promise and is as before", async () => {
  await using daemon = await startDaemon();
  const before = await daemon.asOwner("GET", "/v1/providers");
  const events = await drilled(daemon, [...providerNames, "full-disk"], true);
  expect(brokenIn(events)).toEqual([]);
  const promised = drills.filter(({ name }) => [...providerNames, "full-disk"].includes(name));
  const count = promised.reduce((sum, { promises }) => sum + promises.length, 0);
  expect(events.at(-1)).toEqual({ type: "ended", held: count, broken: 0 });
  const { agents } = (await daemon.asOwner("GET", "/v1/agents")).body;
  expect(agents.map(({ name }: { name: string }) => name)).toEqual(["helper"]);
  expect((await daemon.asOwner("GET", "/v1/providers")).body).toEqual(before.body);
  expect((await daemon.run("helper", { query: "Hi" })).status).toBe(200);
  expect(daemon.logLines().filter((line) => line.includes("drill.ended"))).toHaveLength(1);
}, 240_000);

test("faults that everyone notices need permission", async () => {
  await using daemon = await startDaemon();
  const [skipped] = await drilled(daemon, ["full-disk"]);
  expect(skipped).toMatchObject({ type: "skipped", drill: "full-disk" });
}, 240_000);

test("only the control socket performs drills: HTTP is 404, an invalid drill is 400", async () => {
  await using daemon = await startDaemon();
  expect((await daemon.call("POST", "/drill")).status).toBe(404);
  expect(await daemon.asOwner("POST", "/drill?only=provider-timout")).toMatchObject({
    status: 400,
    body: { error: "unknown_drill" },
  });
}, 240_000);

test("a fault ends by itself", async () => {
  const clock = new FakeClock();
  const faults = new FaultSwitch(clock);
  faults.inject("fullDisk", true, 1_000);
  await clock.advance(999);
  expect(faults.active()).toEqual(["fullDisk"]);
  await clock.advance(1);
  expect(faults.active()).toEqual([]);
});

test("an early end cancels only its own fault", async () => {
  const clock = new FakeClock();
  const faults = new FaultSwitch(clock);
  const end = faults.inject("fullDisk", true, 1_000);
  end();
  expect(clock.pending).toBe(0);
  faults.inject("fullDisk", true, 1_000);
  end();
  expect(faults.active()).toEqual(["fullDisk"]);
});

/** A world without a server, in which every answer is `answer`: no promise about answers can hold. */
function brokenWorld(answer: Partial<DrillAnswer>): { world: DrillWorld; clock: FakeClock } {
  const clock = new FakeClock();
  const world: DrillWorld = {
    clock,
    signal: new AbortController().signal,
    faults: new FaultSwitch(clock),
    models: createDrillModels(clock),
    call: async (method) => ({
      status: method === "PUT" ? 201 : 500,
      text: "",
      body: undefined,
      tookMs: 60_000,
      ...(method === "POST" ? answer : {}),
    }),
    circuitOf: () => undefined,
    circuit: { failureThreshold: 3, cooldownMs: 1_000 },
    database: "sqlite",
    childrenWith: () => [1],
    kill: () => {},
  };
  return { world, clock };
}

async function outcomes(name: string, { world, clock }: ReturnType<typeof brokenWorld>) {
  const broken = new Set<string>();
  let isOver = false;
  const reading = (async () => {
    for await (const event of runDrills(world, { only: [name], everyone: true }))
      if (event.type === "checked" && !event.check.held) broken.add(event.check.promise);
  })().finally(() => {
    isOver = true;
  });
  while (!isOver) await clock.advance(100);
  await reading;
  return broken;
}

/** Promises that a server which only answers 500 keeps: it calls no model and repeats no piece of an answer. */
const keptByIdleServer = [
  "each candidate is called at most once per run",
  "no piece of the answer arrives twice",
];

for (const { name, promises, missing } of drills) {
  test(`${name} reports broken promises as broken`, async () => {
    const setting = brokenWorld({});
    const world =
      name === "silent-database" ? { ...setting.world, database: "postgres" as const } : setting.world;
    expect(missing?.(world)).toBeUndefined();
    const broken = await outcomes(name, { ...setting, world });
    expect([...broken].sort()).toEqual(
      promises.filter((promise) => !keptByIdleServer.includes(promise)).sort(),
    );
    expect(world.faults.active()).toEqual([]);
  });
}

test("calls beyond one per candidate break the promise", async () => {
  const setting = brokenWorld({ status: 200 });
  const { call, models } = setting.world;
  const retrying: DrillWorld = {
    ...setting.world,
    async call(method, path, ...rest) {
      if (path.endsWith("/run"))
        for (let calls = 0; calls < 3; calls++)
          await models.standIn(`${endpointOf("second")}/chat/completions`, { body: "{}" });
      return call(method, path, ...rest);
    },
  };
  const broken = await outcomes("provider-429", { ...setting, world: retrying });
  expect(broken).toContain("each candidate is called at most once per run");
});

test("a repeated piece of a stream breaks the promise", async () => {
  const token = 'data: {"type":"token","content":"All "}\n\n';
  const broken = await outcomes("cut-stream", brokenWorld({ status: 200, text: token + token }));
  expect(broken).toContain("no piece of the answer arrives twice");
});

test("a caller that leaves ends the drill and its faults", async () => {
  const setting = brokenWorld({});
  const running = runDrills(setting.world, { only: ["provider-timeout"], everyone: false });
  await running.next();
  expect(setting.world.faults.active()).toEqual(["models"]);
  await running.return(undefined);
  expect(setting.world.faults.active()).toEqual([]);
});
