import { expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../../../src/kit/app-error.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { RateWindows } from "../../../../src/services/daemon/tools/rate-windows.ts";
import type { Redis } from "../../../../src/storage/redis/open-redis.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine, sqliteEngine, type TestEngine } from "../../../support/storage-engines.ts";

/** Several nodes on one database, each with its own windows. */
async function nodesOn(engine: TestEngine, count: number, redis?: Pick<Redis, "run">) {
  const storage = await engine.open({ service: "daemon", tables, migrations });
  const clock = new FakeClock();
  const ports = { storage, redis, clock, newId, log: silentLogger };
  const nodes = Array.from({ length: count }, () => new RateWindows(ports));
  return { nodes, clock, storage, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() };
}

const rule = { callsMax: 5, windowMs: 60_000 };

onEachEngine("windows of rate limits", (engine) => {
  test("of calls at the same time on four nodes, exactly as many as the limit are admitted", async () => {
    await using on = await nodesOn(engine, 4);
    const asked = Array.from({ length: 24 }, (_, at) => on.nodes[at % 4]?.admit("scope", rule));
    const waits = await Promise.all(asked);
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(5);
    expect(new Set(waits)).toEqual(new Set([undefined, 60_000]));
    await on.clock.advance(60_000);
    expect(await on.nodes[1]?.admit("scope", rule)).toBeUndefined();
  });

  test("scopes are apart, and windows that ended are deleted", async () => {
    await using on = await nodesOn(engine, 1);
    const [node] = on.nodes;
    for (const scope of ["a", "b", "c"])
      expect(await node?.admit(scope, { ...rule, callsMax: 1 })).toBeUndefined();
    expect(await node?.admit("a", { ...rule, callsMax: 1 })).toBe(60_000);
    await on.clock.advance(10 * 60_000);
    await node?.admit("d", rule);
    expect(await on.storage.read.select().from(on.storage.tables.rateWindows)).toHaveLength(1);
  });
});

test("over any calls of any nodes, no window has more calls than the limit, and no call waits without need", async () => {
  const call = fc.record({ node: fc.nat(2), afterMs: fc.nat(400), callsMax: fc.constant(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 30 }), async (calls) => {
      await using on = await nodesOn(sqliteEngine, 3);
      const windowMs = 1_000;
      const admitted: number[] = [];
      for (const { node, afterMs, callsMax } of calls) {
        await on.clock.advance(afterMs);
        const nowMs = on.clock.now().getTime();
        const recent = admitted.filter((at) => at > nowMs - windowMs);
        const wait = await on.nodes[node]?.admit("scope", { callsMax, windowMs });
        const due = recent.length < callsMax ? undefined : (recent[0] ?? 0) + windowMs - nowMs;
        expect(wait).toBe(due);
        if (wait === undefined) admitted.push(nowMs);
      }
    }),
    { numRuns: 25 },
  );
});

test("while Redis fails the database counts, and Redis is asked again after ten seconds", async () => {
  let asked = 0;
  let isUp = true;
  const redis: Pick<Redis, "run"> = {
    async run() {
      asked++;
      if (!isUp) throw new AppError("unavailable", "redis_unavailable", "It is away.");
      return 250;
    },
  };
  await using on = await nodesOn(sqliteEngine, 1, redis);
  const [node] = on.nodes;
  expect(await node?.admit("scope", rule)).toBe(250);
  isUp = false;
  for (let call = 0; call < 3; call++) expect(await node?.admit("scope", rule)).toBeUndefined();
  expect(asked).toBe(2);
  isUp = true;
  await on.clock.advance(10_000);
  expect(await node?.admit("scope", rule)).toBe(250);
});

test("while no store answers, a call waits for a second", async () => {
  const on = await nodesOn(sqliteEngine, 1);
  await on.storage[Symbol.asyncDispose]();
  expect(await on.nodes[0]?.admit("scope", rule)).toBe(1_000);
});
