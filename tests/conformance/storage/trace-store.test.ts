import { expect, test } from "bun:test";
import { presentTrace } from "../../../src/engine/telemetry/present-trace.ts";
import type { OpenTrace, RecordedTrace } from "../../../src/engine/telemetry/trace.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../src/services/daemon/tables.ts";
import { foldText } from "../../../src/services/daemon/traces/fold-text.ts";
import { listTraces as listFound, searchedRowsMax } from "../../../src/services/daemon/traces/list-store.ts";
import { findTrace, insertTraces, pruneTraces } from "../../../src/services/daemon/traces/store.ts";
import { factsOf } from "../../../src/services/daemon/traces/trace-facts.ts";
import {
  isListed,
  type TraceFilter,
  type TracePlace,
} from "../../../src/services/daemon/traces/trace-filter.ts";
import { recordedTrace } from "../../support/recorded-trace.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const trace = (id: string, startedMs: number, agent = "a", output = "") =>
  recordedTrace(id, startedMs, { agent, output });
const ofTenant = (tenant: string, ...traces: RecordedTrace[]) =>
  traces.map((one) => ({ tenant, trace: one }));
const listTraces = async (...asked: Parameters<typeof listFound>) => (await listFound(...asked)).traces;
const idsOf = (traces: readonly OpenTrace[]) => traces.map((one) => one.trace_id);
const everything = { olderThan: new Date(0), bytesMax: Number.MAX_SAFE_INTEGER };

onEachEngine("trace store", (engine) => {
  const open = () => engine.open({ service: "daemon", tables, migrations });

  test("a trace is found by its tenant, whole", async () => {
    await using storage = await open();
    const one = trace("t1", 1000, "a", "ñ 😀");
    await insertTraces(storage, []);
    await insertTraces(storage, ofTenant("x", one));
    expect(await findTrace(storage, "x", "t1")).toEqual(presentTrace(one));
    expect(await findTrace(storage, "y", "t1")).toBeUndefined();
    expect(await findTrace(storage, "x", "t2")).toBeUndefined();
  });

  test("what is there already stays, and the rest of the batch is stored", async () => {
    await using storage = await open();
    await insertTraces(storage, ofTenant("x", trace("t1", 1000)));
    await insertTraces(storage, ofTenant("x", trace("t1", 2000), trace("t2", 2000)));
    expect((await findTrace(storage, "x", "t1"))?.start_time).toBe(new Date(1000).toISOString());
    expect(await findTrace(storage, "x", "t2")).toBeDefined();
  });

  test("lists are newest first, by tenant and agent, up to the limit", async () => {
    await using storage = await open();
    await insertTraces(storage, [
      ...ofTenant("x", trace("1", 1000), trace("3", 3000, "b"), trace("2a", 2000), trace("2b", 2000)),
      ...ofTenant("y", trace("4", 4000)),
    ]);
    expect(idsOf(await listTraces(storage, "x", { limit: 10 }))).toEqual(["3", "2b", "2a", "1"]);
    expect(idsOf(await listTraces(storage, "x", { agent: "a", limit: 2 }))).toEqual(["2b", "2a"]);
    expect(await listTraces(storage, "z", { limit: 10 })).toEqual([]);
  });

  test("lists hold what fits every filter, as the buffer's do", async () => {
    await using storage = await open();
    const all = [
      recordedTrace("1", 1000, { session: "p" }),
      recordedTrace("2", 2000, { session: "q", status: "ERROR" }),
      recordedTrace("3", 3000, { session: "p", status: "ERROR" }),
      recordedTrace("4", 4000, { session: "p", agent: "b" }),
    ];
    await insertTraces(storage, ofTenant("x", ...all));
    const filters: TraceFilter[] = [
      { status: "ERROR" },
      { status: "OK", sessionId: "p" },
      { sessionId: "q" },
      { agent: "b", status: "ERROR" },
      { since: new Date(2000), until: new Date(4000) },
      { since: new Date(2001) },
      { after: { key: 3000, traceId: "3" } },
      { after: { key: 3000, traceId: "3" }, status: "OK" },
    ];
    for (const filter of filters) {
      const listed = idsOf(await listTraces(storage, "x", { ...filter, limit: 10 }));
      expect(listed).toEqual(
        all
          .filter((one) => isListed(one, filter))
          .map((one) => one.trace_id)
          .reverse(),
      );
    }
    expect(idsOf(await listTraces(storage, "x", { status: "ERROR", limit: 10 }))).toEqual(["3", "2"]);
  });

  test("pages hold every trace once, also those that began together", async () => {
    await using storage = await open();
    const ids = Array.from({ length: 25 }, (_, index) => `t${String(index).padStart(2, "0")}`);
    const all = ids.map((id, index) => trace(id, 1000 + Math.floor(index / 4)));
    await insertTraces(storage, ofTenant("x", ...all));
    const seen: string[] = [];
    for (let after: TraceFilter["after"]; ; ) {
      const page = await listTraces(storage, "x", { after, limit: 3 });
      const last = page.at(-1);
      if (last === undefined) break;
      seen.push(...idsOf(page));
      after = { key: Date.parse(last.start_time), traceId: last.trace_id };
    }
    expect(seen).toEqual(ids.reverse());
  });

  test.each([
    ["a list", {}],
    ["a search", { search: "needle" }],
  ])("%s of large traces ends a page early, and goes on where it ended", async (_, query) => {
    await using storage = await open();
    const output = "x".repeat(3 * 1024 * 1024);
    const all = ["a", "b", "c", "d"].map((id, at) =>
      recordedTrace(id, 1000 * at, { input: "needle", output }),
    );
    for (const one of all) await insertTraces(storage, ofTenant("x", one));
    const first = await listFound(storage, "x", { ...query, limit: 10 });
    expect(idsOf(first.traces)).toEqual(["d", "c", "b"]);
    expect(first.reached).toEqual({ key: 1000, traceId: "b" });
    const second = await listFound(storage, "x", { ...query, limit: 10, after: first.reached });
    expect(idsOf(second.traces)).toEqual(["a"]);
    expect(second.reached).toBeUndefined();
  });

  test("a batch larger than one insert is stored whole", async () => {
    await using storage = await open();
    const many = Array.from({ length: 1201 }, (_, index) => trace(`t${index}`, index));
    await insertTraces(storage, ofTenant("x", ...many));
    expect(await pruneTraces(storage, { ...everything, olderThan: new Date(1200) })).toBe(1201);
  });

  test("pruning takes the old first and then the oldest beyond the bytes", async () => {
    await using storage = await open();
    await insertTraces(storage, [
      ...ofTenant("x", trace("old", 1000), trace("b", 2000), trace("d", 4000)),
      ...ofTenant("y", trace("c", 3000, "a", "x".repeat(1000))),
    ]);
    expect(await pruneTraces(storage, everything)).toBe(0);
    expect(await pruneTraces(storage, { ...everything, olderThan: new Date(1000) })).toBe(1);
    const bytesOf = (one: RecordedTrace) => Buffer.byteLength(JSON.stringify(one));
    const newestTwo = bytesOf(trace("d", 4000)) + bytesOf(trace("c", 3000, "a", "x".repeat(1000)));
    expect(await pruneTraces(storage, { ...everything, bytesMax: newestTwo })).toBe(1);
    expect(idsOf(await listTraces(storage, "x", { limit: 10 }))).toEqual(["d"]);
    expect(await pruneTraces(storage, { ...everything, bytesMax: newestTwo - 1 })).toBe(1);
    expect(await findTrace(storage, "y", "c")).toBeUndefined();
    expect(await pruneTraces(storage, { ...everything, bytesMax: 0 })).toBe(1);
  });

  test("text that no column could hold is stored as it is", async () => {
    await using storage = await open();
    await insertTraces(storage, ofTenant("x", trace("t1", 1000, "a", "nul \0 half \ud800")));
    expect((await findTrace(storage, "x", "t1"))?.spans[0]?.attributes.output).toBe("nul \0 half \ud800");
  });

  test("a search finds text as it is typed, in any case and script, and nothing else", async () => {
    await using storage = await open();
    const answers: Record<string, string> = {
      percent: "100% of it",
      plain: "1000 of it",
      under: "snake_case",
      snake: "snakeXcase",
      quote: `it's "so" \\ here`,
      greek: "ΟΔΟΣ και ΛΌΓΟΣ",
      chinese: "機械学習は楽しい",
      arabic: "مرحبا بالعالم",
      emoji: "done 👩‍👩‍👧 now",
      accent: "caf\u0065\u0301 cr\u00e8me",
      lines: "first\n\n  second\tthird",
      broken: "nul \0 half \ud800 end",
      tag: "<script>alert(1)</script>",
      sql: "'; drop table traces; --",
    };
    await insertTraces(
      storage,
      ofTenant(
        "x",
        ...Object.entries(answers).map(([id, output], at) => recordedTrace(id, 1000 + at, { output })),
      ),
    );
    await insertTraces(storage, ofTenant("y", trace("other", 1, "a", "100% of it, a secret")));
    const found = async (text: string) =>
      idsOf(await listTraces(storage, "x", { search: foldText(text), limit: 50 })).sort();
    for (const [typed, ids] of [
      ["0%", ["percent"]],
      ["100_", []],
      ["e_c", ["under"]],
      [`'s "so" \\`, ["quote"]],
      ["οδος", ["greek"]],
      ["ΟΔΟΣ ΚΑΙ λόγοσ", ["greek"]],
      ["学習", ["chinese"]],
      ["بالعالم", ["arabic"]],
      ["👩‍👩‍👧", ["emoji"]],
      ["CAFÉ", ["accent"]],
      ["first second third", ["lines"]],
      ["nul \0 half \ud800", ["broken"]],
      ["</SCRIPT>", ["tag"]],
      ["'; DROP TABLE", ["sql"]],
      ["secret", []],
      ["of it", ["percent", "plain"]],
    ] as const)
      expect([typed, await found(typed)]).toEqual([typed, [...ids]]);
    for (const search of ["0%", "of it"].map(foldText)) {
      const one = recordedTrace("buffered", 5, { output: "100% of it" });
      expect(isListed(one, { search })).toBe(true);
    }
  });

  test("a search joins the other filters and pages through all it finds in each order", async () => {
    await using storage = await open();
    const all = Array.from({ length: 1300 }, (_, index) =>
      recordedTrace(`t${String(index).padStart(4, "0")}`, 1000 + index, {
        agent: index % 2 === 0 ? "a" : "b",
        output: index % 100 === 0 || index % 100 === 7 ? "a needle" : "hay",
        durationMs: (index * 7919) % 501,
        costUsd: ((index * 31) % 17) / 1_000_000,
      }),
    );
    await insertTraces(storage, ofTenant("x", ...all));
    const wanted = all.filter(({ agent, spans }) => agent === "a" && spans[0]?.[5].output === "a needle");
    for (const by of ["time", "latency", "cost"] as const)
      for (const isAscending of [true, false]) {
        const keyOf = (one: RecordedTrace) =>
          by === "time" ? one.started_at_ms : by === "latency" ? one.duration_ms : factsOf(one).costMicros;
        const seen: string[] = [];
        for (let after: TracePlace | undefined; ; ) {
          const query = { agent: "a", search: "needle", sort: { by, isAscending }, after, limit: 4 };
          const page = await listTraces(storage, "x", query);
          const last = all.find(({ trace_id: id }) => id === page.at(-1)?.trace_id);
          if (last === undefined) break;
          seen.push(...idsOf(page));
          after = { key: keyOf(last), traceId: last.trace_id };
          // A run that ends meanwhile does not shift the pages.
          const id = `late-${by}-${isAscending}-${seen.length}`;
          await insertTraces(storage, ofTenant("x", recordedTrace(id, 1, { agent: "a", output: "hay" })));
        }
        const ordered = wanted.toSorted((a, b) => {
          const difference = keyOf(a) - keyOf(b) || (a.trace_id < b.trace_id ? -1 : 1);
          return isAscending ? difference : -difference;
        });
        expect([by, isAscending, seen]).toEqual([by, isAscending, ordered.map((one) => one.trace_id)]);
      }
  });

  test("one search reads a limited number of traces and says how far it came", async () => {
    await using storage = await open();
    const count = searchedRowsMax + 700;
    const all = Array.from({ length: count }, (_, at) =>
      recordedTrace(`t${at}`, 1000 + at, { output: at === 3 ? "needle" : "hay" }),
    );
    await insertTraces(storage, ofTenant("x", ...all));
    const first = await listFound(storage, "x", { search: "needle", limit: 10 });
    expect(first).toEqual({ traces: [], reached: { key: 1000 + 700, traceId: "t700" } });
    const second = await listFound(storage, "x", { search: "needle", limit: 10, after: first.reached });
    expect(idsOf(second.traces)).toEqual(["t3"]);
    expect(second.reached).toBeUndefined();
  });

  test("texts to search are deleted with their traces", async () => {
    await using storage = await open();
    await insertTraces(storage, ofTenant("x", trace("1", 1000, "a", "one"), trace("2", 2000, "a", "two")));
    await pruneTraces(storage, { ...everything, olderThan: new Date(1000) });
    const texts = await storage.read.select().from(storage.tables.traceTexts);
    expect(texts.map(({ text }) => text)).toEqual(["two"]);
  });
});
