import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { newId } from "../../../../src/kit/id.ts";
import { WorkerGroup } from "../../../../src/kit/worker.ts";
import { runSweep, sweepInterrupted } from "../../../../src/services/platform/runs/sweep/run-sweep.ts";
import {
  countersOf,
  invocationsOf,
  type PlatformWithAgent,
  platformWithAgent,
} from "../../../support/platform-agent.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/agents/support/run";

const ask = ({ call, owner }: PlatformWithAgent, headers: Record<string, string> = {}) =>
  call("POST", path, { headers: { ...owner.asProgram, ...headers }, body: { query: "hi" } });

const [line] = ended().usage;

/** A platform whose writes fail while `disk.isFull`. */
async function onFullDisk(engine: TestEngine) {
  const filled = Promise.withResolvers<void>();
  const disk = {
    isFull: false,
    filled: filled.promise,
    fill() {
      disk.isFull = true;
      filled.resolve();
    },
  };
  const platform = await platformWithAgent(engine, {
    rate: 1000,
    change: (deps) => {
      const { transact } = deps.storage;
      const failing: typeof transact = async (run, options) => {
        if (disk.isFull) throw new AppError("unavailable", "storage_unavailable", "The disk is full.");
        return transact(run, options);
      };
      return { ...deps, storage: { ...deps.storage, transact: failing } };
    },
  });
  return { platform, disk };
}

/** Advances the clock, from when the disk is full, until the answer has arrived. */
async function whileTimePasses<T>(
  { clock }: PlatformWithAgent,
  disk: { filled: Promise<void> },
  answer: Promise<T>,
): Promise<T> {
  await disk.filled;
  let isThere = false;
  const settled = answer.finally(() => {
    isThere = true;
  });
  while (!isThere) {
    await clock.advance(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return settled;
}

onEachEngine("hazards of the ledger", (engine) => {
  test("usage that the provider did not report is counted by us, charged, and marked", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    platform.runtime.plays(async function* () {
      if (line) yield ended({ usage: [{ ...line, estimated: true }] });
    });
    expect(await ask(platform)).toMatchObject({ status: 200, body: { credits_charged_micros: 120 } });
    expect(await invocationsOf(platform)).toMatchObject([{ usageEstimated: true, chargedMicros: 120 }]);
  });

  test("a model without a tariff is charged zero, said to be unpriced and on record", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    platform.runtime.plays(async function* () {
      if (line) yield ended({ usage: [line, { ...line, model: "nameless" }] });
    });
    expect(await ask(platform)).toMatchObject({
      status: 200,
      body: { pricing_status: "unpriced", credits_charged_micros: 120 },
    });
    const [run] = await invocationsOf(platform);
    expect(run?.pricingStatus).toBe("unpriced");
    expect(run?.byModel.map(({ model }) => model)).toEqual(["test-model", "nameless"]);
  });

  test("a tariff that begins in the middle of a run does not touch it", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const { storage, clock } = platform.deps;
    platform.runtime.plays(async function* () {
      await platform.clock.advance(1000);
      const [tariff] = await storage.read.select().from(storage.tables.tariffs);
      await storage.transact(async (tx) => {
        if (tariff === undefined) return;
        const dearer = { creditsPer1kIn: 9000, creditsPer1kOut: 9000, effectiveFrom: clock.now() };
        await tx.insert(storage.tables.tariffs).values({ ...tariff, ...dearer, id: newId() });
      });
      yield ended();
    });
    expect(await ask(platform)).toMatchObject({ body: { credits_charged_micros: 120 } });
    platform.runtime.plays(async function* () {
      yield ended();
    });
    expect(await ask(platform)).toMatchObject({ body: { credits_charged_micros: 1080 } });
  });

  test("a tenant that is deleted with a run in flight: it ends and is charged, and the next run is 401", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const { owner } = platform;
    platform.runtime.plays(async function* () {
      const deleted = await platform.call("DELETE", `/api/v1/tenants/${owner.id}`, {
        headers: owner.asPerson,
      });
      expect(deleted.status).toBeLessThan(300);
      yield ended();
    });
    expect(await ask(platform)).toMatchObject({ status: 200 });
    expect(await invocationsOf(platform)).toMatchObject([{ status: "ok", chargedMicros: 120 }]);
    expect(await ask(platform)).toMatchObject({ status: 401 });
    expect(platform.runtime.runs).toHaveLength(1);
  });

  test("a store that fails for a moment after the run does not cost the answer", async () => {
    const { platform, disk } = await onFullDisk(engine);
    await using _ = platform;
    platform.runtime.plays(async function* () {
      disk.fill();
      platform.clock.timer(700, () => {
        disk.isFull = false;
      });
      yield ended();
    });
    expect(await whileTimePasses(platform, disk, ask(platform))).toMatchObject({ status: 200 });
    expect(await invocationsOf(platform)).toMatchObject([{ status: "ok", chargedMicros: 120 }]);
  });

  /** A run whose end could not be written; the store is back. */
  async function unsettledRun() {
    const { platform, disk } = await onFullDisk(engine);
    platform.runtime.plays(async function* () {
      disk.fill();
      yield ended();
    });
    const answer = await whileTimePasses(platform, disk, ask(platform, { "idempotency-key": "k" }));
    expect(answer).toMatchObject({ status: 503, body: { error: "storage_unavailable" } });
    expect(answer.body.hint).toContain("Idempotency-Key");
    expect(answer.text).not.toContain("Hello there.");
    expect(await platform.deps.unsettled.flush()).toBe(false);
    disk.isFull = false;
    expect(await ask(platform, { "idempotency-key": "k" })).toMatchObject({
      body: { status: "in_progress" },
    });
    return platform;
  }

  test("a store that stays away withholds the answer; the run is settled when it is back", async () => {
    await using platform = await unsettledRun();
    const { clock, unsettled } = platform.deps;
    const group = new WorkerGroup([unsettled.worker()], platform.deps);
    group.start();
    while (unsettled.count > 0) await platform.clock.advance(500);
    await group.stop(0);
    expect(await invocationsOf(platform)).toMatchObject([{ status: "ok", chargedMicros: 120 }]);
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 120 }]);
    expect(await ask(platform, { "idempotency-key": "k" })).toMatchObject({
      status: 200,
      body: { answer: "Hello there.", credits_charged_micros: 120 },
    });
    const later = new Date(clock.now().getTime() + 180_000);
    expect(await sweepInterrupted(platform.deps.storage, later)).toBe(0);
    expect(platform.runtime.runs).toHaveLength(1);
  });

  test("a store that was away for long: the sweep of the run's own process settles it first", async () => {
    await using platform = await unsettledRun();
    const sweep = runSweep(platform.deps);
    for (let round = 0; round < 8; round++) {
      await platform.clock.advance(60_000);
      await sweep();
    }
    expect(await invocationsOf(platform)).toMatchObject([{ status: "ok", chargedMicros: 120 }]);
  });

  test("a process that dies with a run unsettled: the sweep ends the run, not charged", async () => {
    await using platform = await unsettledRun();
    const { storage, clock, unsettled } = platform.deps;
    expect(await sweepInterrupted(storage, new Date(clock.now().getTime() + 180_000))).toBe(1);
    expect(await ask(platform, { "idempotency-key": "k" })).toMatchObject({ body: { error: "interrupted" } });
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 0 }]);
    // The first ending counts, also when the process was not dead after all.
    expect(await unsettled.flush()).toBe(true);
    expect(await countersOf(platform)).toMatchObject([{ heldMicros: 0, chargedMicros: 0 }]);
  });

  test.each(["maxRunTokens", "maxTokensPerCall", "maxIterations"])(
    "a plan with %s of 0 is 402 and runs nothing",
    async (limit) => {
      await using platform = await platformWithAgent(engine, { plan: { [limit]: 0 } });
      expect(await ask(platform)).toMatchObject({ status: 402 });
      expect(platform.runtime.runs).toEqual([]);
    },
  );

  test("after many cancelled runs that cost something further ones are 429", async () => {
    await using platform = await platformWithAgent(engine, {
      rate: 1000,
      plan: { creditCapPeriodMicros: 100_000, maxRunTokens: 2000 },
    });
    platform.runtime.plays(async function* () {
      if (line) yield ended({ outcome: "cancelled", usage: [{ ...line, tokens_in: 51_000 }] });
    });
    expect(await ask(platform)).toMatchObject({ status: 503, body: { error: "run_cancelled" } });
    expect(await ask(platform)).toMatchObject({ status: 429, body: { error: "cancel_limit" } });
  });
});
