import { expect, test } from "bun:test";
import type { RecordedTrace } from "../../../../src/engine/telemetry/trace.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { insertTraces, pruneTraces } from "../../../../src/services/daemon/traces/store.ts";
import { createTraceArchive } from "../../../../src/services/daemon/traces/trace-archive.ts";
import { TraceBuffer } from "../../../../src/services/daemon/traces/trace-buffer.ts";
import { agentFile, startDaemon } from "../../../support/daemon.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { recordedTrace } from "../../../support/recorded-trace.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

test("a run is judged, found by its verdict, judged again, and the verdict deleted", async () => {
  await using daemon = await startDaemon({ agents: { "clock.agent.yaml": agentFile("clock") } });
  for (const query of ["First?", "Second?", "Third?"])
    await daemon.run("clock", { query, trace_content: true });
  const list = async (query = "") => (await daemon.call("GET", `/v1/traces?spans=false${query}`)).body.traces;
  const [third, second] = await list();
  expect(second.summary).toMatchObject({ question: "Second?", answer: expect.any(String) });
  const put = (id: string, body: object) => daemon.call("PUT", `/v1/traces/${id}/feedback`, { body });

  const at = daemon.clock.now().toISOString();
  const given = await put(third.trace_id, {
    rating: "down",
    label: "tone",
    note: "Too short \ud83d\ude00",
    correction: "At nine.",
  });
  expect([given.status, given.body]).toEqual([
    200,
    { rating: "down", label: "tone", note: "Too short \ud83d\ude00", correction: "At nine.", at },
  ]);
  expect((await put(second.trace_id, { note: "Look again" })).status).toBe(200);
  const found = async (feedback: string) =>
    (await list(`&feedback=${feedback}`)).map(({ trace_id }: { trace_id: string }) => trace_id);
  expect(await found("down")).toEqual([third.trace_id]);
  expect(await found("up")).toEqual([]);
  expect(await found("any")).toEqual([third.trace_id, second.trace_id]);
  expect((await daemon.call("GET", `/v1/traces/${third.trace_id}`)).body.feedback).toEqual(given.body);

  expect((await put(third.trace_id, { rating: "up" })).body).toEqual({ rating: "up", at });
  expect(await found("up")).toEqual([third.trace_id]);
  const path = `/v1/traces/${third.trace_id}/feedback`;
  expect((await daemon.call("DELETE", path)).body).toEqual({ status: "deleted", trace_id: third.trace_id });
  expect(await found("up")).toEqual([]);
  expect((await daemon.call("DELETE", path)).body.error).toBe("feedback_not_found");
  expect((await put("no-such-trace", { rating: "up" })).body.error).toBe("trace_not_found");
  for (const wrong of [
    {},
    { rating: "sideways" },
    { label: "" },
    { label: "x".repeat(65) },
    { note: "x".repeat(4001) },
    { correction: "x".repeat(16_001) },
    { stars: 5 },
    { rating: "up", note: null },
    [],
  ]) {
    expect([wrong, (await put(third.trace_id, wrong)).status]).toEqual([wrong, 400]);
  }
});

onEachEngine("verdicts", (engine) => {
  test("are listed with buffered and written traces, of their own tenant only, and are deleted with them", async () => {
    const clock = new FakeClock();
    await using storage = await engine.open({ service: "daemon", tables, migrations, clock });
    const buffer = new TraceBuffer((batch) => insertTraces(storage, batch), clock, silentLogger);
    const archive = createTraceArchive(storage, buffer);
    const startOf = (second: number) => Date.UTC(2026, 0, 1, 0, 0, second);
    const traceOf = (second: number): RecordedTrace => recordedTrace(`trace-${second}`, startOf(second), {});
    for (const second of [1, 2]) buffer.record("operator", traceOf(second));
    await buffer.flush();
    for (const second of [3, 4]) buffer.record("operator", traceOf(second));
    for (const second of [1, 3])
      expect(await archive.judge("operator", `trace-${second}`, { rating: "down" }, clock.now())).toBe(true);
    expect(await archive.judge("tenant", "trace-1", { rating: "up" }, clock.now())).toBe(false);
    const ids = async (feedback?: "up" | "down" | "any") =>
      (await archive.list("operator", { limit: 10, feedback })).traces.map(({ trace_id: id }) => id);
    expect(await ids()).toEqual(["trace-4", "trace-3", "trace-2", "trace-1"]);
    expect(await ids("down")).toEqual(["trace-3", "trace-1"]);
    expect(await ids("any")).toEqual(["trace-3", "trace-1"]);
    expect(await archive.unjudge("tenant", "trace-1")).toBe(false);
    await buffer.flush();
    await pruneTraces(storage, { olderThan: new Date(startOf(2)), bytesMax: Number.MAX_SAFE_INTEGER });
    expect(await ids("any")).toEqual(["trace-3"]);
    expect(await storage.read.select().from(storage.tables.feedback)).toHaveLength(1);
  });
});
