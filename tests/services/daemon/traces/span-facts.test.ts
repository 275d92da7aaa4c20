import { expect, test } from "bun:test";
import { presentTrace } from "../../../../src/engine/telemetry/present-trace.ts";
import type { RecordedSpan, RecordedTrace } from "../../../../src/engine/telemetry/trace.ts";
import { foldText } from "../../../../src/services/daemon/traces/fold-text.ts";
import { summarizeTrace } from "../../../../src/services/daemon/traces/summarize-trace.ts";
import { factsOf } from "../../../../src/services/daemon/traces/trace-facts.ts";

const traceOf = (...spans: RecordedSpan[]): RecordedTrace => ({
  trace_id: "0198f6a1-1111-7222-8333-0123456789ab",
  agent: "desk",
  session_id: "s",
  status: "OK",
  started_at_ms: 0,
  duration_ms: 9,
  spans,
});
const call = (parent: number, model: string, more: Record<string, unknown> = {}): RecordedSpan => [
  "llm.complete",
  parent,
  0,
  1,
  more.error === undefined ? "OK" : "ERROR",
  { provider: "p", model, input_tokens: 10, output_tokens: 2, cost_usd: 0.1, ...more },
];

/** The desk asks a helper, which asks an expert; both finish after the desk's own first call. */
const trace = traceOf(
  ["agent.run", -1, 0, 9, "OK", {}],
  call(0, "desk-model"),
  ["tool.call", 0, 1, 1, "OK", { tool: "ask" }],
  ["agent.run", 2, 1, 1, "OK", {}],
  call(3, "helper-model", { cost_usd: 0.2 }),
  ["agent.run", 3, 1, 1, "OK", {}],
  call(5, "expert-model", { cost_usd: undefined }),
  call(0, "spare-model", { error: "circuit_open" }),
);

test("facts add up the calls of all agents, and name the model of the requested one", () => {
  expect(factsOf(trace)).toEqual({
    model: "desk-model",
    inputTokens: 30,
    outputTokens: 6,
    costMicros: 300_000,
    unpricedCalls: 1,
    outcome: "OK",
    source: "production",
  });
});

test("facts are those of the summary", () => {
  const paused = traceOf(["agent.run", -1, 0, 9, "ERROR", { error: "approval_required" }], call(0, "m"));
  for (const one of [trace, paused, traceOf(["agent.run", -1, 0, 9, "OK", {}])]) {
    const facts = factsOf(one);
    const { model = "", cost_usd: cost = 0, ...summary } = summarizeTrace(presentTrace(one));
    expect(facts).toMatchObject({ model, inputTokens: summary.input_tokens, costMicros: cost * 1e6 });
    expect(summary.tool_calls).toBe(one.spans.filter(([name]) => name === "tool.call").length);
  }
  expect(factsOf(paused).outcome).toBe("PAUSED");
});

test("a folded text has single spaces for any white space", () => {
  expect(foldText("One two three")).toBe("one two three");
  for (const text of ["One  two", "One\ttwo", "One\u00a0two", "One\n two", "One \n\n two"])
    expect(foldText(text)).toBe("one two");
  expect(foldText(" One ")).toBe(" one ");
});
