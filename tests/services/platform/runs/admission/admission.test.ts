import { expect, test } from "bun:test";
import { AppError } from "../../../../../src/kit/app-error.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { readCounters } from "../../../../../src/services/platform/counters/credit-counters.ts";
import { defaultPlan } from "../../../../../src/services/platform/plans/default-plan.ts";
import type { PlanRow } from "../../../../../src/services/platform/plans/schema.ts";
import type { RunAttempt } from "../../../../../src/services/platform/runs/admission/admission.ts";
import { admitInvocation } from "../../../../../src/services/platform/runs/admission/admit-invocation.ts";
import {
  type RunEnding,
  settleInvocation,
} from "../../../../../src/services/platform/runs/settlement/settle-invocation.ts";
import { sweepInterrupted } from "../../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { type PlatformTables, tables } from "../../../../../src/services/platform/tables.ts";
import type { Storage } from "../../../../../src/storage/storage.ts";
import { onEachEngine, type TestEngine } from "../../../../support/storage-engines.ts";

const now = new Date("2026-03-10T12:00:30.000Z");
const rate = 1000;

type Ledger = Storage<PlatformTables> & AsyncDisposable;

async function openLedger(engine: TestEngine, plan: Partial<PlanRow> = {}): Promise<Ledger> {
  const storage = await engine.open({ service: "platform", tables });
  await storage.transact(async (tx) => {
    await tx.insert(storage.tables.plans).values({ ...defaultPlan, ...plan, createdAt: now });
    await tx.insert(storage.tables.tariffs).values({
      id: newId(),
      provider: "lab",
      model: "m",
      effectiveFrom: new Date(0),
      creditsPer1kIn: rate,
      creditsPer1kOut: rate,
      creditsPer1kCached: null,
      providerCostPer1kIn: 100,
      providerCostPer1kOut: 100,
      infraCostPerSecond: null,
      own: false,
      createdAt: now,
    });
  });
  return storage;
}

const attempt = (change: Partial<RunAttempt> = {}): RunAttempt => ({
  tenantId: "t1",
  invocationId: newId(),
  agent: { id: "a1", name: "support", version: 1, subscriptionId: null },
  sessionId: "s",
  caller: "cli",
  source: null,
  candidates: [{ provider: "lab", model: "m" }],
  idempotency: undefined,
  runToken: undefined,
  owner: "p1",
  now,
  timeoutMs: 120_000,
  ...change,
});

const answered = (tokens: number): RunEnding => ({
  status: "ok",
  usage: [
    {
      provider: "lab",
      model: "m",
      role: "main",
      tokens_in: tokens,
      tokens_out: 0,
      tokens_cached: 0,
      estimated: false,
    },
  ],
  durationMs: 10,
  isCharged: true,
});

const codeOf = async (storage: Ledger, change: Partial<RunAttempt> = {}) => {
  const verdict = await admitInvocation(storage, attempt(change));
  return verdict.kind === "rejected" ? verdict.refusal.code : verdict.kind;
};

const counterOf = async (storage: Ledger) =>
  (await readCounters(storage.read, storage.tables, "t1", "2026-03")).get("tenant");

onEachEngine("admission", (engine) => {
  test("holds a run's worst case, charges what it used and gives back the rest", async () => {
    await using storage = await openLedger(engine);
    const run = attempt();
    expect(await admitInvocation(storage, run)).toMatchObject({
      kind: "admitted",
      run: { hold: { tokens: 64_000, micros: 64_000 } },
    });
    expect(await counterOf(storage)).toMatchObject({ chargedMicros: 0, heldMicros: 64_000 });
    const settled = await settleInvocation(storage, run, answered(500), now);
    expect(settled?.invocation).toMatchObject({ status: "ok", chargedMicros: 500, tokensIn: 500 });
    expect(await counterOf(storage)).toMatchObject({ chargedMicros: 500, heldMicros: 0 });
    expect(await settleInvocation(storage, run, answered(500), now)).toBeUndefined();
    expect(await counterOf(storage)).toMatchObject({ chargedMicros: 500 });
  });

  test("a charge never passes the hold: what is over it is on record for the operator", async () => {
    await using storage = await openLedger(engine);
    const run = attempt();
    await admitInvocation(storage, run);
    const settled = await settleInvocation(storage, run, answered(70_000), now);
    expect(settled?.invocation).toMatchObject({ chargedMicros: 64_000, overrunMicros: 6000 });
  });

  test.each<[RunEnding["status"]]>([["cancelled"], ["error"], ["timeout"], ["interrupted"]])(
    "a run that ended as %s is not charged, and its provider cost stays known",
    async (status) => {
      await using storage = await openLedger(engine);
      const run = attempt();
      await admitInvocation(storage, run);
      await settleInvocation(
        storage,
        run,
        { ...answered(1000), status, isCharged: false, isTenantsDoing: true },
        now,
      );
      expect(await counterOf(storage)).toEqual(
        expect.objectContaining({
          chargedMicros: 0,
          heldMicros: 0,
          cancelledCostMicros: 100,
        }),
      );
    },
  );

  test.each<[string, Partial<PlanRow>, string]>([
    ["no credits", { creditCapPeriodMicros: 0 }, "credit_budget_exhausted"],
    ["too few credits for a run", { creditCapPeriodMicros: 1999 }, "credit_budget_exhausted"],
    ["no places", { maxConcurrency: 0 }, "concurrency_exceeded"],
    ["no runs a minute", { maxRpm: 0 }, "rate_limited"],
    [
      "no limits",
      { creditCapPeriodMicros: null, maxConcurrency: null, maxRpm: null, maxRunTokens: null },
      "admitted",
    ],
  ])("a plan of %s", async (_, plan, expected) => {
    await using storage = await openLedger(engine, plan);
    expect(await codeOf(storage)).toBe(expected);
  });

  test("200 runs at once never hold and charge more than the cap, and what fits is not refused", async () => {
    const cap = 1_000_000;
    await using storage = await openLedger(engine, {
      creditCapPeriodMicros: cap,
      maxConcurrency: null,
      maxRpm: null,
    });
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const run = attempt();
        const verdict = await admitInvocation(storage, run);
        const counter = await counterOf(storage);
        expect((counter?.chargedMicros ?? 0) + (counter?.heldMicros ?? 0)).toBeLessThanOrEqual(cap);
        if (verdict.kind !== "admitted") return verdict;
        const overReported = index % 3 === 0 ? 80_000 : 10_000;
        await settleInvocation(storage, run, answered(overReported), now);
        return verdict;
      }),
    );
    const counter = await counterOf(storage);
    expect(counter?.heldMicros).toBe(0);
    expect(counter?.chargedMicros).toBeLessThanOrEqual(cap);
    const isRefused = verdicts.some(({ kind }) => kind === "rejected");
    expect(isRefused).toBe(true);
    expect(cap - (counter?.chargedMicros ?? 0)).toBeLessThan(cap);
  });

  test("of 50 at once with five places five begin, and the places come back when their process dies", async () => {
    await using storage = await openLedger(engine, { maxConcurrency: 5 });
    const codes = await Promise.all(Array.from({ length: 50 }, () => codeOf(storage)));
    expect(codes.filter((code) => code === "admitted")).toHaveLength(5);
    expect(codes.filter((code) => code === "concurrency_exceeded")).toHaveLength(45);
    const later = new Date(now.getTime() + 180_000);
    expect(await sweepInterrupted(storage, later)).toBe(5);
    expect(await counterOf(storage)).toMatchObject({ heldMicros: 0, chargedMicros: 0 });
    expect(await codeOf(storage, { now: later })).toBe("admitted");
  });

  test("a minute's runs are counted exactly, and the next minute begins anew", async () => {
    await using storage = await openLedger(engine, { maxConcurrency: null, maxRpm: 60 });
    const codes = await Promise.all(Array.from({ length: 120 }, () => codeOf(storage)));
    expect(codes.filter((code) => code === "admitted")).toHaveLength(60);
    const refused = await admitInvocation(storage, attempt());
    expect(refused).toMatchObject({ refusal: { details: { retryAfterSeconds: 30 } } });
    expect(await codeOf(storage, { now: new Date(now.getTime() + 30_000) })).toBe("admitted");
  });

  test("equal rejections of one second are one row", async () => {
    await using storage = await openLedger(engine, { maxConcurrency: 0 });
    for (let count = 0; count < 5; count++) await codeOf(storage);
    const rows = await storage.read.select().from(storage.tables.invocations);
    expect(rows).toMatchObject([{ status: "rejected", errorCode: "concurrency_exceeded", count: 5 }]);
  });

  test("a key runs once, in any order of requests; a rejection leaves it free", async () => {
    await using storage = await openLedger(engine, { maxConcurrency: 1 });
    const idempotency = { key: "k", bodyHash: "h" };
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, () => admitInvocation(storage, attempt({ idempotency }))),
    );
    const [begun] = verdicts.filter(({ kind }) => kind === "admitted");
    expect(begun).toBeDefined();
    expect(verdicts.filter(({ kind }) => kind === "replay")).toHaveLength(19);
    expect(await codeOf(storage, { idempotency: { key: "other", bodyHash: "h" } })).toBe(
      "concurrency_exceeded",
    );
    const rows = await storage.read.select().from(storage.tables.idempotencyKeys);
    expect(rows.map(({ key }) => key)).toEqual(["k"]);
  });

  test.each<[string, Partial<RunAttempt>, string, number]>([
    ["another tenant's is 409", { tenantId: "t2" }, "idempotency_key_conflict", 409],
    [
      "used for another body is 422",
      { idempotency: { key: "k", bodyHash: "other" } },
      "idempotency_key_reused",
      422,
    ],
    [
      "used for another agent is 422",
      { agent: { id: "a2", name: "other", version: 1, subscriptionId: null } },
      "idempotency_key_reused",
      422,
    ],
  ])("a key that is %s", async (_, change, code, status) => {
    await using storage = await openLedger(engine);
    const idempotency = { key: "k", bodyHash: "h" };
    await admitInvocation(storage, attempt({ idempotency }));
    let thrown: unknown;
    try {
      await admitInvocation(storage, attempt({ idempotency, ...change }));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(AppError);
    expect(thrown).toMatchObject({ code, status });
  });
});
