import { expect, test } from "bun:test";
import type { RunFigures } from "../../../src/contracts/daemon/runs/run-stats.ts";
import type { RecordedTrace } from "../../../src/engine/telemetry/trace.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { pruneRunFacts } from "../../../src/services/daemon/run-stats/fact-store.ts";
import { createRunStatistics } from "../../../src/services/daemon/run-stats/read-stats.ts";
import { tables } from "../../../src/services/daemon/tables.ts";
import { insertTraces } from "../../../src/services/daemon/traces/store.ts";
import { recordedTrace } from "../../support/recorded-trace.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const since = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const now = new Date(since + 60 * minuteMs);
const range = { since: new Date(since).toISOString(), bucket: "5m" } as const;

/** Nearest rank: the smallest duration that the share of the runs does not exceed. */
function rankOf(durations: readonly number[], share: number): number | undefined {
  return durations.toSorted((a, b) => a - b)[Math.ceil((durations.length * share) / 100) - 1];
}

const of = (traces: readonly RecordedTrace[]) => traces.map(({ duration_ms: ms }) => ms);

onEachEngine("run statistics", (engine) => {
  const open = () => engine.open({ service: "daemon", tables, migrations });
  const noFlush = async () => {};

  test("figures are exact in each bucket, group and in all, and empty buckets are there", async () => {
    await using storage = await open();
    const agents = ["a", 'it\'s "b"', "'; drop table run_facts; --"];
    const all = Array.from({ length: 700 }, (_, at) =>
      recordedTrace(`t${at}`, since + ((at * 7919) % (50 * minuteMs)), {
        agent: agents[at % 3] ?? "",
        model: `m${at % 2}`,
        durationMs: ((at * 104_729) % 997) + 0.5,
        // Every 17th has no known price.
        costUsd: at % 17 === 0 ? null : (at % 13) / 1_000_000,
        ...(at % 10 === 0
          ? { status: "ERROR" as const, error: at % 20 === 0 ? "approval_required" : "x" }
          : {}),
      }),
    );
    await insertTraces(
      storage,
      all.map((trace) => ({ tenant: "x", trace })),
    );
    await insertTraces(storage, [{ tenant: "y", trace: recordedTrace("t1", since, { agent: "foreign" }) }]);
    const stats = createRunStatistics(storage, noFlush);
    const expected = (runs: readonly RecordedTrace[]): RunFigures => {
      const figures = {
        runs: runs.length,
        errors: runs.filter((run) => run.spans[0]?.[5].error === "x").length,
        input_tokens: runs.length * 10,
        output_tokens: runs.length * 5,
        cost_usd: expect.closeTo(
          runs.reduce((sum, run) => sum + Number(run.spans[1]?.[5].cost_usd ?? 0), 0),
          9,
        ),
        unpriced_calls: runs.filter((run) => run.spans[1]?.[5].cost_usd === undefined).length,
      };
      const [p50, p95] = [rankOf(of(runs), 50), rankOf(of(runs), 95)];
      return p50 === undefined || p95 === undefined ? figures : { ...figures, p50_ms: p50, p95_ms: p95 };
    };
    for (const by of ["agent", "model"] as const) {
      const found = await stats.read("x", { ...range, group_by: by }, now);
      expect(found.total).toEqual(expected(all));
      expect(found.buckets).toHaveLength(12);
      const bucketOf = (run: RecordedTrace) => Math.floor((run.started_at_ms - since) / (5 * minuteMs));
      for (const [at, bucket] of found.buckets.entries()) {
        const { start, ...figures } = bucket;
        expect(start).toBe(new Date(since + at * 5 * minuteMs).toISOString());
        expect(figures).toEqual(expected(all.filter((run) => bucketOf(run) === at)));
      }
      expect(found.buckets.at(-1)?.runs).toBe(0);
      const keyOf = (run: RecordedTrace) => (by === "agent" ? run.agent : String(run.spans[1]?.[5].model));
      expect(found.groups?.map(({ key }) => key).sort()).toEqual([...new Set(all.map(keyOf))].sort());
      for (const group of found.groups ?? []) {
        const runs = all.filter((run) => keyOf(run) === group.key);
        expect(group.total).toEqual(expected(runs));
        for (const { start, ...figures } of group.buckets) {
          const at = (Date.parse(start) - since) / (5 * minuteMs);
          expect(figures).toEqual(expected(runs.filter((run) => bucketOf(run) === at)));
        }
      }
    }
    const filtered = await stats.read("x", { ...range, agent: agents[2] ?? "", model: "m1" }, now);
    expect(filtered.total).toEqual(
      expected(all.filter((run) => run.agent === agents[2] && run.spans[1]?.[5].model === "m1")),
    );
    expect((await stats.read("z", range, now)).total.runs).toBe(0);
    const tenants = await stats.read({ isEvery: true }, { ...range, group_by: "tenant" }, now);
    expect(tenants.groups?.map(({ key, total }) => [key, total.runs])).toEqual([
      ["x", 700],
      ["y", 1],
    ]);
  });

  test.each([
    ["America/New_York", "2026-10-31T04:00:00.000Z", "2026-11-03T05:00:00.000Z", [48, 50, 48]],
    ["America/New_York", "2026-03-07T05:00:00.000Z", "2026-03-10T04:00:00.000Z", [48, 46, 48]],
    ["Europe/Madrid", "2026-10-23T22:00:00.000Z", "2026-10-26T23:00:00.000Z", [48, 50, 48]],
    ["Europe/Madrid", "2026-03-27T23:00:00.000Z", "2026-03-30T22:00:00.000Z", [48, 46, 48]],
    ["Australia/Lord_Howe", "2026-04-03T13:00:00.000Z", "2026-04-06T13:30:00.000Z", [48, 49, 48]],
    ["Australia/Lord_Howe", "2026-10-02T13:30:00.000Z", "2026-10-05T13:00:00.000Z", [48, 47, 48]],
  ])(
    "a run each half hour is counted in the day that %s has from %s",
    async (time_zone, from, until, counts) => {
      await using storage = await open();
      const half = 30 * minuteMs;
      const count = (Date.parse(until) - Date.parse(from)) / half;
      const all = Array.from({ length: count }, (_, at) =>
        recordedTrace(`t${at}`, Date.parse(from) + at * half),
      );
      await insertTraces(
        storage,
        all.map((trace) => ({ tenant: "x", trace })),
      );
      const stats = createRunStatistics(storage, noFlush);
      const query = { since: from, until, bucket: "1d", time_zone, group_by: "agent" } as const;
      const { buckets, groups = [], total } = await stats.read("x", query, now);
      const day = new Intl.DateTimeFormat("en-CA", { timeZone: time_zone, dateStyle: "short" });
      expect(total.runs).toBe(count);
      expect(buckets.map(({ runs }) => runs)).toEqual([...counts]);
      expect(new Set(buckets.map(({ start }) => day.format(new Date(start)))).size).toBe(counts.length);
      expect(groups[0]?.buckets.map(({ start, runs }) => [start, runs])).toEqual(
        buckets.map(({ start, runs }) => [start, runs]),
      );
    },
  );

  test("groups beyond the ten largest are one, and a run without a model call has the empty model", async () => {
    await using storage = await open();
    const all = Array.from({ length: 13 * 14 }, (_, at) => {
      // Agent n has n runs.
      const agent = Math.floor((Math.sqrt(8 * at + 1) - 1) / 2) + 1;
      return recordedTrace(`t${at}`, since + at, { agent: `a${String(agent).padStart(2, "0")}` });
    }).filter(({ agent }) => agent <= "a13");
    await insertTraces(
      storage,
      all.map((trace) => ({ tenant: "x", trace })),
    );
    const stats = createRunStatistics(storage, noFlush);
    const { groups = [], total } = await stats.read("x", { ...range, group_by: "agent" }, now);
    expect(groups.map(({ key, total: { runs } }) => [key, runs])).toEqual([
      ...Array.from({ length: 10 }, (_, at): [string, number] => [
        `a${String(13 - at).padStart(2, "0")}`,
        13 - at,
      ]),
      [undefined, 3 + 2 + 1],
    ]);
    expect(groups.reduce((sum, group) => sum + group.total.runs, 0)).toBe(total.runs);
    const models = await stats.read("x", { ...range, group_by: "model" }, now);
    expect(models.groups?.map(({ key }) => key)).toEqual([""]);
  });

  test("runs that ended a moment ago are stored first, and facts outlive their limit of age or number not", async () => {
    await using storage = await open();
    const late = recordedTrace("late", since + 1);
    const stats = createRunStatistics(storage, () => insertTraces(storage, [{ tenant: "x", trace: late }]));
    expect((await stats.read("x", range, now)).total.runs).toBe(1);
    const more = Array.from({ length: 9 }, (_, at) => recordedTrace(`t${at}`, since + 1000 * (at + 1)));
    await insertTraces(
      storage,
      more.map((trace) => ({ tenant: "x", trace })),
    );
    const left = async () => (await stats.read("x", range, now)).total.runs;
    await pruneRunFacts(storage, new Date(since - 1));
    expect(await left()).toBe(10);
    await pruneRunFacts(storage, new Date(since - 1), 4);
    expect((await storage.read.select().from(storage.tables.runFacts)).length).toBe(4);
    await pruneRunFacts(storage, new Date(since + 8000));
    expect((await storage.read.select().from(storage.tables.runFacts)).map(({ traceId }) => traceId)).toEqual(
      ["t8"],
    );
  });

  test("figures say from when they are complete: the start of the range, or the end of what was deleted", async () => {
    await using storage = await open();
    const stats = createRunStatistics(storage, noFlush);
    const from = async (asked: object) => (await stats.read("x", { ...range, ...asked }, now)).counted_from;
    const [start, until] = [range.since, now.toISOString()];
    await pruneRunFacts(storage, new Date(since + 1));
    expect(await from({})).toBe(start);
    await insertTraces(
      storage,
      [0, 1000, 5000, 9000].map((at) => ({ tenant: "x", trace: recordedTrace(`t${at}`, since + at) })),
    );
    expect(await from({})).toBe(start);
    await pruneRunFacts(storage, new Date(since + 2000));
    expect(await from({})).toBe(new Date(since + 1001).toISOString());
    await pruneRunFacts(storage, new Date(0), 1);
    const last = new Date(since + 5001).toISOString();
    expect(await from({})).toBe(last);
    await pruneRunFacts(storage, new Date(since + 3000));
    expect(await from({})).toBe(last);
    const later = new Date(since + 7000).toISOString();
    expect(await from({ since: later, until })).toBe(later);
  });
});
