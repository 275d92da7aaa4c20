import { describe, expect, test } from "bun:test";
import { presentTrace } from "../../../src/engine/telemetry/present-trace.ts";
import { TraceRecorder } from "../../../src/engine/telemetry/trace-recorder.ts";
import { newId } from "../../../src/kit/id.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const recording = () => {
  const clock = new FakeClock("2026-03-01T10:00:00.000Z");
  return { clock, trace: new TraceRecorder(clock, newId(), "agent.run", { agent: "a" }) };
};

test("spans say when they began and how long they took, to the microsecond", async () => {
  const { clock, trace } = recording();
  await clock.advance(1.25);
  const span = trace.start("work", { size: 3 });
  await clock.advance(2.0004);
  span.set("found", true);
  span.end();
  await clock.advance(1);
  expect(trace.elapsedMs()).toBeCloseTo(4.2504, 6);
  const { spans, ...about } = presentTrace(trace.finish("a", "s", "OK"));
  expect(about).toEqual({
    trace_id: trace.traceId,
    agent: "a",
    session_id: "s",
    status: "OK",
    start_time: "2026-03-01T10:00:00.000Z",
    duration_ms: 4.25,
  });
  expect(spans[1]).toEqual({
    name: "work",
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    parent_span_id: spans[0]?.span_id ?? "",
    start_time: "2026-03-01T10:00:00.001Z",
    end_time: "2026-03-01T10:00:00.003Z",
    duration_ms: 2,
    attributes: { size: 3, found: true },
    status: "OK",
  });
  expect(spans[0]).not.toHaveProperty("parent_span_id");
});

test("durations run on when the wall clock is set back", () => {
  let wallMs = Date.parse("2026-03-01T10:00:00.000Z");
  let elapsedMs = 0;
  const clock = {
    now: () => new Date(wallMs),
    monotonicMs: () => elapsedMs,
    timer: () => () => {},
  };
  const trace = new TraceRecorder(clock, newId(), "agent.run", {});
  const span = trace.start("work");
  wallMs -= 3_600_000;
  elapsedMs += 5;
  span.end();
  expect(presentTrace(trace.finish("a", "s", "OK")).spans[1]).toMatchObject({
    start_time: "2026-03-01T10:00:00.000Z",
    end_time: "2026-03-01T10:00:00.005Z",
    duration_ms: 5,
  });
});

describe("a span", () => {
  test("ends once: neither a second end nor a late attribute changes it", async () => {
    const { clock, trace } = recording();
    const span = trace.start("work");
    await clock.advance(1);
    span.end("ERROR");
    await clock.advance(1);
    span.end();
    span.set("late", true);
    expect(presentTrace(trace.finish("a", "s", "OK")).spans[1]).toMatchObject({
      duration_ms: 1,
      status: "ERROR",
      attributes: {},
    });
  });

  test("without an end was cut off with the run, and stays as it was then", async () => {
    const { clock, trace } = recording();
    const outer = trace.start("outer");
    const inner = trace.start("inner", {}, outer);
    await clock.advance(3);
    const { spans } = presentTrace(trace.finish("a", "s", "ERROR"));
    const before = structuredClone(spans);
    await clock.advance(3);
    inner.set("ok", true);
    inner.end();
    outer.end();
    expect(spans).toEqual(before);
    expect(spans.map(({ name, status, duration_ms }) => [name, status, duration_ms])).toEqual([
      ["agent.run", "ERROR", 3],
      ["outer", "ERROR", 3],
      ["inner", "ERROR", 3],
    ]);
    expect(spans[2]?.parent_span_id).toBe(spans[1]?.span_id ?? "");
  });

  test("has an id that no other span of any trace has", () => {
    const ids = new Set<string>();
    for (let run = 0; run < 50; run++) {
      const { trace } = recording();
      for (let span = 0; span < 20; span++) trace.start("work");
      for (const { span_id } of presentTrace(trace.finish("a", "s", "OK")).spans) ids.add(span_id);
    }
    expect(ids.size).toBe(50 * 21);
  });
});
