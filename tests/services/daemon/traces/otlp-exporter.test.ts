import { describe, expect, test } from "bun:test";
import type { RecordedSpan, RecordedTrace } from "../../../../src/engine/telemetry/trace.ts";
import { OtlpExporter } from "../../../../src/services/daemon/traces/otlp/otlp-exporter.ts";
import { agentFile, startDaemon } from "../../../support/daemon.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { type CollectedSpan, startOtlpCollector } from "../../../support/otlp-collector.ts";
import { recordingLogger } from "../../../support/recording-logger.ts";

const startedAtMs = Date.parse("2026-03-01T12:00:00.500Z");

function traceOf(...spans: RecordedSpan[]): RecordedTrace {
  return {
    trace_id: "0198f6a1-1111-7222-8333-0123456789ab",
    agent: "desk",
    session_id: "s-1",
    status: "OK",
    started_at_ms: startedAtMs,
    duration_ms: 100,
    spans: [["agent.run", -1, 0, 100, "OK", { agent: "desk", session: "s-1", status: "ok" }], ...spans],
  };
}

const modelCall = (parent: number, provider = "lab"): RecordedSpan => [
  "llm.complete",
  parent,
  10,
  20.25,
  "OK",
  { provider, model: "m", input_tokens: 12, output_tokens: 3, finish: "tool_calls" },
];
const toolCall = (parent: number, tool: string, ok = true): RecordedSpan => [
  "tool.call",
  parent,
  31,
  5,
  ok ? "OK" : "ERROR",
  { tool, ok },
];

/** Returns a collector's reading of a trace. */
async function collect(trace: RecordedTrace): Promise<CollectedSpan[]> {
  await using collector = startOtlpCollector();
  const { log } = recordingLogger();
  const exporter = new OtlpExporter(
    { endpoint: collector.endpoint, headers: {} },
    "1.2.3",
    new FakeClock(),
    log,
  );
  exporter.record("t", trace);
  await exporter.close();
  return collector.spans;
}

/** Returns each span as `name < parent's name`. */
function tree(spans: readonly CollectedSpan[]): string[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map(({ name, parentSpanId }) => `${name} < ${names.get(parentSpanId) ?? "none"}`);
}

describe("a trace as a collector reads it", () => {
  test("runs, their model calls and the tools these asked for are nested in that order", async () => {
    const spans = await collect(
      traceOf(
        ["memory_build", 0, 1, 2, "OK", { strategy: "sliding_window" }],
        ["orchestration", 0, 5, 90, "OK", { pattern: "react" }],
        modelCall(2),
        toolCall(2, "clock"),
        toolCall(2, "ask_billing", false),
        ["agent.run", 5, 32, 4, "OK", { agent: "billing", session: "s-1" }],
        ["orchestration", 6, 33, 3, "OK", { pattern: "react" }],
        modelCall(7, "other"),
        modelCall(2, "second"),
      ),
    );
    expect(tree(spans)).toEqual([
      "agent.run.desk < none",
      "memory_build < agent.run.desk",
      "provider.call.lab < agent.run.desk",
      "tool.execute.clock < provider.call.lab",
      "tool.execute.ask_billing < provider.call.lab",
      "agent.run.billing < tool.execute.ask_billing",
      "provider.call.other < agent.run.billing",
      "provider.call.second < agent.run.desk",
    ]);
  });

  test("attributes are those of the documents and of the semantic conventions", async () => {
    const [run, call, tool] = await collect(
      traceOf(modelCall(0), [
        "tool.call",
        0,
        31,
        5,
        "ERROR",
        { tool: "clock", ok: false, input: { a: [1] } },
      ]),
    );
    expect(run?.attributes).toMatchObject({
      "agent.name": "desk",
      "session.id": "s-1",
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": "s-1",
      "argosy.status": "ok",
    });
    expect(call?.attributes).toMatchObject({
      "provider.name": "lab",
      "model.name": "m",
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.response.finish_reasons": ["tool_calls"],
    });
    expect(tool?.attributes).toMatchObject({
      "tool.name": "clock",
      "gen_ai.operation.name": "execute_tool",
      "argosy.ok": false,
      "argosy.input": '{"a":[1]}',
      "error.type": "tool_failed",
    });
    expect([run?.kind, call?.kind, tool?.kind]).toEqual([1, 3, 1]);
    expect([run?.statusCode, tool?.statusCode]).toEqual([0, 2]);
    expect(run?.resource).toEqual({ "service.name": "argosy", "service.version": "1.2.3" });
  });

  test("a failed call says who was called and why it failed", async () => {
    const reason = "lab/m could not be reached (connection refused).";
    const [, call] = await collect(
      traceOf([
        "llm.complete",
        0,
        10,
        5,
        "ERROR",
        { provider: "lab", model: "m", error: "unreachable", reason },
      ]),
    );
    expect(call).toMatchObject({ name: "provider.call.lab", statusCode: 2, statusMessage: reason });
    expect(call?.attributes).toMatchObject({
      "provider.name": "lab",
      "model.name": "m",
      "error.type": "unreachable",
    });
    expect(call?.attributes).not.toContainKey("gen_ai.response.model");
  });

  test("ids are the trace's own, instants exact to the microsecond", async () => {
    const [run, call] = await collect(traceOf(modelCall(0)));
    expect(run?.traceId).toBe("0198f6a1111172228333" + "0123456789ab");
    expect(call?.traceId).toBe(run?.traceId as string);
    expect(call?.spanId).toHaveLength(16);
    expect(call?.startNanos).toBe(BigInt(startedAtMs + 10) * 1_000_000n);
    expect((call?.endNanos ?? 0n) - (call?.startNanos ?? 0n)).toBe(20_250_000n);
  });
});

describe("a collector that can't be had", () => {
  test("is logged once as failing and once as recovered; its traces are dropped and counted", async () => {
    await using collector = startOtlpCollector();
    const { log, logged } = recordingLogger();
    const target = { endpoint: collector.endpoint, headers: { authorization: "Bearer k" } };
    const exporter = new OtlpExporter(target, "1", new FakeClock(), log);
    collector.answer.status = 400;
    for (let times = 0; times < 2; times++) {
      exporter.record("t", traceOf());
      await exporter.flush();
    }
    collector.answer.status = 200;
    exporter.record("t", traceOf());
    await exporter.close();
    expect(logged.map(({ event }) => event)).toEqual([
      "otlp.failing",
      "otlp.dropped",
      "otlp.dropped",
      "otlp.recovered",
    ]);
    expect(collector.spans).toHaveLength(1);
    expect(collector.requests.at(-1)?.headers.get("authorization")).toBe("Bearer k");
  });

  test("costs no more memory than so many traces", async () => {
    const { log, logged } = recordingLogger();
    await using collector = startOtlpCollector();
    const exporter = new OtlpExporter(
      { endpoint: collector.endpoint, headers: {} },
      "1",
      new FakeClock(),
      log,
    );
    for (let times = 0; times < 4100; times++) exporter.record("t", traceOf());
    await exporter.close();
    expect(collector.spans).toHaveLength(4096);
    expect(logged).toEqual([{ level: "warn", event: "otlp.dropped", fields: { traces: 4 } }]);
  });
});

test("a daemon exports what it runs, and keeps it", async () => {
  await using collector = startOtlpCollector();
  await using daemon = await startDaemon({
    agents: { "helper.agent.yaml": agentFile("helper") },
    runtime: JSON.stringify({
      spec: { observability: { collector: "otlp", otlp: { endpoint: collector.endpoint } } },
    }),
  });
  const { body } = await daemon.run("helper", { query: "hi" });
  await daemon.clock.advance(1000);
  const spans = await collector.collected(2);
  expect(spans.map(({ name }) => name)).toContain("provider.call.lab");
  expect(spans[0]?.traceId).toBe(body.trace_id.replaceAll("-", ""));
  expect((await daemon.call("GET", `/v1/traces/${body.trace_id}`)).status).toBe(200);
});

test("a run in a caller's trace is exported below the caller's span", async () => {
  const caller = { parent_trace: "4bf92f3577b34da6a3ce929d0e0e4736", parent_span: "00f067aa0ba902b7" };
  const [, ...others] = traceOf(modelCall(0)).spans;
  const attributes = { agent: "desk", session: "s-1", status: "ok", ...caller };
  const spans = await collect({
    ...traceOf(),
    spans: [["agent.run", -1, 0, 100, "OK", attributes], ...others],
  });
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([caller.parent_trace]));
  const root = spans.find(({ name }) => name === "agent.run.desk");
  expect(root?.parentSpanId).toBe(caller.parent_span);
  expect(spans.find(({ name }) => name === "provider.call.lab")?.parentSpanId).toBe(root?.spanId ?? "");
});
