import { describe, expect, test } from "bun:test";
import type { OpenTrace } from "../../../../src/engine/telemetry/trace.ts";
import { type BufferedTrace, TraceBuffer } from "../../../../src/services/daemon/traces/trace-buffer.ts";
import { recordingLogger } from "../../../http/sample-service.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { recordedTrace } from "../../../support/recorded-trace.ts";

const trace = (id: string, agent = "helper") => recordedTrace(id, Date.UTC(2026, 0, 1), { agent });

/** A buffer whose writes are recorded as lists of ids; `fault` makes them fail. */
function bufferUnderTest() {
  const written: string[][] = [];
  const state: { fault?: Error } = {};
  const clock = new FakeClock();
  const { log, lines } = recordingLogger();
  const write = async (batch: readonly BufferedTrace[]) => {
    if (state.fault !== undefined) throw state.fault;
    written.push(batch.map((each) => each.trace.trace_id));
  };
  return { buffer: new TraceBuffer(write, clock, log), written, state, clock, lines };
}

const idsOf = (traces: readonly OpenTrace[]) => traces.map(({ trace_id }) => trace_id);

describe("a trace", () => {
  test("can be found and listed from the moment it is recorded, by its own tenant only", () => {
    const { buffer } = bufferUnderTest();
    buffer.record("operator", trace("1"));
    buffer.record("operator", trace("2", "other"));
    buffer.record("tenant", trace("3"));
    expect(buffer.find("operator", "1")?.trace_id).toBe("1");
    expect(buffer.find("tenant", "1")).toBeUndefined();
    expect(buffer.find("operator", "constructor")).toBeUndefined();
    expect(idsOf(buffer.list("operator", {}))).toEqual(["1", "2"]);
    expect(idsOf(buffer.list("operator", { agent: "helper" }))).toEqual(["1"]);
    expect(idsOf(buffer.list("tenant", {}))).toEqual(["3"]);
  });

  test("is gone from the buffer once it is written", async () => {
    const { buffer, written } = bufferUnderTest();
    buffer.record("operator", trace("1"));
    await buffer.flush();
    await buffer.flush();
    expect(written).toEqual([["1"]]);
    expect(buffer.find("operator", "1")).toBeUndefined();
    expect(buffer.list("operator", {})).toEqual([]);
  });
});

test("traces are written together, in their order, in batches of 256", async () => {
  const { buffer, written } = bufferUnderTest();
  const ids = Array.from({ length: 600 }, (_, number) => `${number}`);
  for (const id of ids) buffer.record("operator", trace(id));
  await buffer.flush();
  expect(written.map((batch) => batch.length)).toEqual([256, 256, 88]);
  expect(written.flat()).toEqual(ids);
});

test("what can't be written stays, and is written the next time", async () => {
  const { buffer, written, state } = bufferUnderTest();
  buffer.record("operator", trace("1"));
  state.fault = new Error("the disk is full");
  await expect(buffer.flush()).rejects.toThrow("the disk is full");
  expect(buffer.find("operator", "1")).toBeDefined();
  delete state.fault;
  buffer.record("operator", trace("2"));
  await buffer.flush();
  expect(written).toEqual([["1", "2"]]);
});

test("beyond ten thousand the oldest are dropped, and a count says how many", async () => {
  const { buffer, written, lines } = bufferUnderTest();
  for (let number = 0; number < 10_003; number++) buffer.record("operator", trace(`${number}`));
  expect(buffer.find("operator", "2")).toBeUndefined();
  expect(buffer.find("operator", "3")).toBeDefined();
  await buffer.flush();
  expect(written.flat()).toHaveLength(10_000);
  await buffer.flush();
  expect(lines).toEqual([{ event: "traces.dropped", fields: { count: 3 } }]);
});

test("the worker writes four times a second, and once more when it stops", async () => {
  const { buffer, written, clock } = bufferUnderTest();
  const stopping = new AbortController();
  const running = buffer.worker().run(stopping.signal);
  buffer.record("operator", trace("1"));
  await clock.advance(249);
  expect(written).toEqual([]);
  await clock.advance(1);
  expect(written).toEqual([["1"]]);
  buffer.record("operator", trace("2"));
  stopping.abort();
  await running;
  expect(written).toEqual([["1"], ["2"]]);
});
