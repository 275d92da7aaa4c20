import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { RunResult } from "../../../src/contracts/daemon/runs/run.ts";
import type { OpenSpan, OpenTrace } from "../../../src/engine/telemetry/trace.ts";
import type { FakeClock } from "../../support/fake-clock.ts";
import { endOfAnswer } from "../../support/scripted-model.ts";
import { asks, type Stage, type StageOptions, says, stage } from "../../support/staged-run.ts";

/** An agent that calls its clock and then answers; the model takes 7 ms and 5 ms, the tool 3 ms. */
function clockReader(options: StageOptions = {}): Stage {
  let clock: FakeClock | undefined;
  const staged = stage({
    calls: [
      async function* () {
        await clock?.advance(7);
        yield* asks("Let me see.", { name: "clock", input: { zone: "UTC" } });
      },
      async function* () {
        await clock?.advance(5);
        yield* says("It is ", "noon.");
      },
    ],
    tools: [
      {
        name: "clock",
        async execute() {
          await clock?.advance(3);
          return { success: true, data: { time: "12:00" } };
        },
      },
    ],
    ...options,
  });
  clock = staged.clock;
  return staged;
}

/** Returns the spans as a tree: names, children indented below their parent. */
function treeOf({ spans }: OpenTrace): string[] {
  const below = (parent: OpenSpan | undefined, depth: number): string[] =>
    spans
      .filter((span) => span.parent_span_id === parent?.span_id)
      .flatMap((span) => [`${"  ".repeat(depth)}${span.name}`, ...below(span, depth + 1)]);
  return below(undefined, 0);
}

const spanOf = ({ spans }: OpenTrace, name: string) => spans.find((span) => span.name === name);

describe("a run that goes well", () => {
  test("yields what happens in order, and its result last", async () => {
    const { events } = await clockReader().run();
    expect(events.map((event) => (event.type === "token" ? event.content : event.type))).toEqual([
      "Let me see.",
      "tool_call",
      "tool_result",
      "\n\n",
      "It is ",
      "noon.",
      "done",
    ]);
    expect(events[1]).toEqual({ type: "tool_call", id: "c0", tool: "clock", input: { zone: "UTC" } });
    expect(events[2]).toEqual({
      type: "tool_result",
      id: "c0",
      tool: "clock",
      ok: true,
      output: { success: true, data: { time: "12:00" } },
    });
  });

  test("adds up usage and time in its result", async () => {
    const { result, tokens } = await clockReader().run({ sessionId: "monday" });
    expect(result).toEqual({
      agent: "staged",
      session_id: "monday",
      response: "Let me see.\n\nIt is noon.",
      tool_calls: [
        { tool: "clock", input: { zone: "UTC" }, output: { success: true, data: { time: "12:00" } } },
      ],
      usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
      timing: { total_ms: 15, model_ms: 12, tool_ms: 3 },
      model: "m",
      provider: "lab",
      metadata: {
        provider: "lab",
        model: "m",
        pattern: "react",
        iterations: 2,
        tokens_used: 30,
        latency_ms: 15,
        tools_called: ["clock"],
      },
      trace_id: expect.any(String),
      trace: expect.any(Object),
    });
    expect(tokens).toBe(result?.response ?? "");
    expect(Value.Check(RunResult, result)).toBeTrue();
  });

  test("is traced with the spans of the contract, nested and in order of time", async () => {
    const staged = clockReader();
    const { result } = await staged.run({ sessionId: "monday" });
    const [trace] = staged.traces;
    if (trace === undefined) throw new Error("no trace");
    expect(treeOf(trace)).toEqual([
      "agent.run",
      "  memory_build",
      "  prompt_render",
      "  orchestration",
      "    llm.complete",
      "    tool.call",
      "    llm.complete",
      "  memory_persist",
    ]);
    expect(trace).toMatchObject({
      trace_id: result?.trace_id,
      agent: "staged",
      session_id: "monday",
      status: "OK",
      start_time: "2026-01-01T00:00:00.000Z",
      duration_ms: 15,
    });
    expect(trace.spans[0]?.attributes).toEqual({ agent: "staged", session: "monday", status: "ok" });
    expect(spanOf(trace, "memory_build")?.attributes).toEqual({ strategy: "sliding_window", turns: 0 });
    expect(spanOf(trace, "prompt_render")?.attributes).toEqual({ history: 0 });
    expect(spanOf(trace, "orchestration")?.attributes).toEqual({ pattern: "react" });
    expect(spanOf(trace, "tool.call")?.attributes).toEqual({ tool: "clock", ok: true });
    expect(spanOf(trace, "llm.complete")).toMatchObject({
      start_time: "2026-01-01T00:00:00.000Z",
      end_time: "2026-01-01T00:00:00.007Z",
      duration_ms: 7,
      attributes: { provider: "lab", model: "m", input_tokens: 10, output_tokens: 5, finish: "tool_calls" },
      status: "OK",
    });
    expect(staged.traces).toHaveLength(1);
    expect(result?.trace).toEqual(trace);
  });

  test("is reported to metrics and log once", async () => {
    const staged = clockReader();
    const { result } = await staged.run({ sessionId: "monday", requestId: "r1" });
    expect(staged.started).toEqual(["staged/monday"]);
    expect(staged.finished).toEqual([
      {
        agent: "staged",
        sessionId: "monday",
        pattern: "react",
        status: "ok",
        latencyMs: 15,
        overheadMs: 0,
        inputTokens: 20,
        outputTokens: 10,
      },
    ]);
    expect(staged.toolsExecuted).toEqual([{ tool: "clock", ok: true, latencyMs: 3, hasEffects: true }]);
    expect(staged.logged).toEqual([
      {
        level: "info",
        event: "run.finished",
        fields: {
          agent: "staged",
          status: "ok",
          code: undefined,
          latency_ms: 15,
          trace_id: result?.trace_id,
          tenant: "t",
          request_id: "r1",
        },
      },
    ]);
  });

  test("leaves no timer and no listener behind", async () => {
    const staged = clockReader();
    const caller = new AbortController();
    let signal: AbortSignal | undefined;
    staged.agent.pattern.run = ((run) =>
      async function* (pattern) {
        signal = pattern.signal;
        return yield* run(pattern);
      })(staged.agent.pattern.run);
    await staged.run({ cancelledBy: [caller.signal] });
    caller.abort();
    expect([staged.clock.pending, signal?.aborted, staged.openAnswers()]).toEqual([0, false, 0]);
  });
});

test("an answer of a stand-in is marked simulated, in the result and in the trace", async () => {
  const staged = stage({ simulated: true });
  const { result } = await staged.run();
  expect(result?.metadata.simulated).toBeTrue();
  expect(staged.traces[0]?.spans[0]?.attributes).toMatchObject({ simulated: true });
  const real = await stage().run();
  expect(real.result?.metadata).not.toHaveProperty("simulated");
});

describe("what is traced", () => {
  const traced = async (observability: object, random: () => number) => {
    const staged = clockReader({ spec: { observability }, random });
    const { result } = await staged.run();
    expect(result?.trace?.spans.length).toBeGreaterThan(5);
    return staged.traces.length;
  };
  const table: [name: string, observability: object, drawn: number, traces: number][] = [
    ["every run by default", {}, 0.999999, 1],
    ["none when tracing is off", { tracing: false }, 0, 0],
    ["a drawn share", { sample_rate: 0.25 }, 0.2499, 1],
    ["not what is beyond the share", { sample_rate: 0.25 }, 0.25, 0],
    ["none of a share of nothing", { sample_rate: 0 }, 0, 0],
  ];
  test.each(table)("%s", async (_, observability, drawn, traces) => {
    expect(await traced(observability, () => drawn)).toBe(traces);
  });

  test("spans contain the conversation only when the agent records it", async () => {
    const quiet = clockReader();
    await quiet.run({ query: "What time is it?" });
    expect(JSON.stringify(quiet.traces)).not.toMatch(/noon|12:00|UTC|What time/);
    const recording = clockReader({ spec: { observability: { record: true } } });
    await recording.run();
    const [trace] = recording.traces;
    if (trace === undefined) throw new Error("no trace");
    expect(spanOf(trace, "llm.complete")?.attributes.output).toBe("Let me see.");
    expect(spanOf(trace, "tool.call")?.attributes).toEqual({
      tool: "clock",
      ok: true,
      input: { zone: "UTC" },
      output: { success: true, data: { time: "12:00" } },
    });
  });
});

test("a caller's parameters and the wish to stream reach the model", async () => {
  const staged = stage();
  await staged.run({ parameters: { temperature: 0 }, stream: false });
  expect(staged.model.requests[0]).toMatchObject({ parameters: { temperature: 0 }, stream: false });
  await staged.run();
  expect(staged.model.requests[1]).toMatchObject({ stream: true });
  expect(staged.model.requests[1]).not.toHaveProperty("parameters");
});

test("usage is summed over all calls, and the last model that answered is named", async () => {
  const end = (inputTokens: number, outputTokens: number) => ({
    ...endOfAnswer,
    usage: { inputTokens, outputTokens, cachedTokens: 0, estimated: true },
  });
  const call = asks("", "a").slice(0, -1);
  const staged = stage({
    calls: [
      [...call, end(1, 2)],
      [...call, end(30, 40)],
      [{ type: "text", text: "ok" }, end(500, 600)],
    ],
    tools: [{ name: "a", execute: async () => ({ success: true, data: 1 }) }],
  });
  const { result } = await staged.run();
  expect(result?.usage).toEqual({ input_tokens: 531, output_tokens: 642, total_tokens: 1173 });
  expect(result?.metadata).toMatchObject({ iterations: 3, tokens_used: 1173, tools_called: ["a"] });
  expect(staged.finished[0]).toMatchObject({ inputTokens: 531, outputTokens: 642 });
});
