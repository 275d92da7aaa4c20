import { expect, test } from "bun:test";
import type { UsageRecord } from "../../../../src/engine/spending/usage-record.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { CostLedger } from "../../../../src/services/daemon/costs/cost-ledger.ts";
import { newTally } from "../../../../src/services/daemon/costs/tally.ts";
import { addUsage } from "../../../../src/services/daemon/costs/usage-store.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const call = (at: Date, change: Partial<UsageRecord> = {}): UsageRecord => ({
  tenant: "operator",
  agent: "support",
  sessionId: "s",
  provider: "openai",
  model: "m",
  inputTokens: 10,
  outputTokens: 5,
  cachedTokens: 0,
  estimated: false,
  costMicros: 7,
  latencyMs: 2,
  pattern: "react",
  at,
  ...change,
});

onEachEngine("costs on disk", (engine) => {
  test("a process that begins anew tells all that was called before, and adds to it", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const clock = new FakeClock("2026-03-10T12:00:00.000Z");
    const open = () => new CostLedger({ storage, clock, newId, log: silentLogger });
    const first = open();
    first.record([call(clock.now()), call(clock.now(), { costMicros: null, agent: "sales" })]);
    await first.flush();

    await clock.advance(2 * 3_600_000);
    const second = open();
    second.record([call(clock.now())]);
    const whole = await second.totals("operator", {});
    expect(whole.from.toISOString()).toBe("2026-03-10T12:00:00.000Z");
    const support = whole.rows.find(({ agent }) => agent === "support");
    expect(support?.tally).toMatchObject({ calls: 2, costMicros: 14, inputTokens: 20, unpricedCalls: 0 });
    expect(whole.rows.find(({ agent }) => agent === "sales")?.tally).toMatchObject({ unpricedCalls: 1 });
    expect(await second.costMicrosOf("operator", "support")).toBe(14);
    expect(await second.knows("operator", "sales")).toBe(true);
    expect(await second.knows("other", "sales")).toBe(false);
    expect((await second.latest("operator", { limit: 10 })).map(({ agent }) => agent)).toHaveLength(3);
    const since = new Date("2026-03-10T00:00:00Z");
    const { rows } = await second.intervals("operator", {
      agent: "support",
      since,
      startOf: (at) => new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000),
    });
    expect(rows.map(({ startsAt, tally }) => [startsAt.toISOString(), tally.calls])).toEqual([
      ["2026-03-10T12:00:00.000Z", 1],
      ["2026-03-10T14:00:00.000Z", 1],
    ]);
    const late = await second.totals("operator", { since: new Date("2026-03-10T13:00:00Z") });
    expect(late.rows.map(({ tally }) => tally.calls)).toEqual([1]);
    expect((await second.totals("other", {})).rows).toEqual([]);
  });

  test("a process that begins in the hour of earlier calls counts from the start of that hour", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const clock = new FakeClock("2026-03-10T12:10:00.000Z");
    const open = () => new CostLedger({ storage, clock, newId, log: silentLogger });
    const first = open();
    expect((await first.totals("operator", {})).from.toISOString()).toBe("2026-03-10T12:10:00.000Z");
    first.record([call(clock.now())]);
    await first.flush();
    await clock.advance(60_000);
    const whole = await open().totals("operator", {});
    expect(whole.from.toISOString()).toBe("2026-03-10T12:00:00.000Z");
    expect(whole.rows.map(({ tally }) => tally.calls)).toEqual([1]);
  });

  test("more hours than one statement reads are counted once each", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const clock = new FakeClock("2026-03-10T12:00:00.000Z");
    const hourMs = 3_600_000;
    const begin = clock.now().getTime();
    const agents = ["a", "b", "c"];
    const rows = Array.from({ length: 2500 }, (_, hour) =>
      agents.map((agent) => ({
        tenant: "operator",
        startsAt: new Date(begin - hour * hourMs),
        agent,
        provider: "p",
        model: "m",
        source: "production" as const,
        ...newTally(),
        calls: 1,
        costMicros: hour,
      })),
    ).flat();
    await addUsage(storage, rows, []);
    const ledger = new CostLedger({ storage, clock, newId, log: silentLogger });
    const since = new Date(begin - 2400 * hourMs);
    const sum = (2400 * 2401) / 2;
    const { rows: totals } = await ledger.totals("operator", { since });
    expect(totals.map(({ agent, tally }) => [agent, tally.calls, tally.costMicros])).toEqual(
      agents.map((agent) => [agent, 2401, sum]),
    );
    const startOf = (at: Date) => at;
    const { rows: hours } = await ledger.intervals("operator", { agent: "b", since, startOf });
    expect(hours.map(({ startsAt }) => startsAt.getTime())).toEqual(
      Array.from({ length: 2401 }, (_, hour) => since.getTime() + hour * hourMs),
    );
    expect(new Set(hours.map(({ agent, tally }) => `${agent} ${tally.calls}`))).toEqual(new Set(["b 1"]));
  });

  test("what can't be written is kept and written later", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const clock = new FakeClock("2026-03-10T12:00:00.000Z");
    let isFull = true;
    const transact: typeof storage.transact = (run, options) =>
      isFull ? Promise.reject(new Error("The disk is full.")) : storage.transact(run, options);
    const ledger = new CostLedger({ storage: { ...storage, transact }, clock, newId, log: silentLogger });
    ledger.record([call(clock.now())]);
    await expect(ledger.flush()).rejects.toThrow("full");
    isFull = false;
    ledger.record([call(clock.now())]);
    expect((await ledger.totals("operator", {})).rows.map(({ tally }) => tally.calls)).toEqual([2]);
  });

  test("the calls of runs that end together share one transaction", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const clock = new FakeClock("2026-03-10T12:00:00.000Z");
    let transactions = 0;
    const transact: typeof storage.transact = (run, options) => {
      transactions++;
      return storage.transact(run, options);
    };
    const ledger = new CostLedger({ storage: { ...storage, transact }, clock, newId, log: silentLogger });
    for (let run = 0; run < 20; run++)
      ledger.record([call(clock.now()), call(clock.now(), { agent: `a${run}` })]);
    expect(transactions).toBe(0);
    await clock.advance(50);
    await ledger.flush();
    expect(transactions).toBe(1);
    const { rows } = await ledger.totals("operator", {});
    expect(rows.map(({ tally }) => tally.calls).sort((a, b) => b - a)).toEqual([20, ...Array(20).fill(1)]);
    expect(await ledger.latest("operator", { limit: 50 })).toHaveLength(40);
    expect(clock.pending).toBe(0);
  });
});
