import { expect, test } from "bun:test";
import { presentTrace } from "../../../src/engine/telemetry/present-trace.ts";
import type { RecordedTrace, Trace } from "../../../src/engine/telemetry/trace.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../src/services/daemon/tables.ts";
import {
  findTrace,
  insertTraces,
  listTraces,
  pruneTraces,
} from "../../../src/services/daemon/traces/store.ts";
import { isListed, type TraceFilter } from "../../../src/services/daemon/traces/trace-filter.ts";
import { recordedTrace } from "../../support/recorded-trace.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const trace = (id: string, startedMs: number, agent = "a", output = "") =>
  recordedTrace(id, startedMs, { agent, output });
const ofTenant = (tenant: string, ...traces: RecordedTrace[]) =>
  traces.map((one) => ({ tenant, trace: one }));
const idsOf = (traces: readonly Trace[]) => traces.map((one) => one.trace_id);
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
      { after: { startedAt: new Date(3000), traceId: "3" } },
      { after: { startedAt: new Date(3000), traceId: "3" }, status: "OK" },
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
      after = { startedAt: new Date(last.start_time), traceId: last.trace_id };
    }
    expect(seen).toEqual(ids.reverse());
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
});
