import { expect, test } from "bun:test";
import { spanKind, spanSubject, spanTitle } from "../../../../src/console/studio/traces/span-names.ts";
import { spanTotals } from "../../../../src/console/studio/traces/span-totals.ts";
import type { Span } from "../../../../src/contracts/daemon/runs/run.ts";

const span = (name: string, attributes: Record<string, unknown> = {}): Span => ({
  name,
  span_id: "1",
  start_time: "2026-03-01T00:00:00.000Z",
  end_time: "2026-03-01T00:00:00.000Z",
  duration_ms: 1,
  attributes,
  status: "OK",
});

test.each([
  ["agent.run", { agent: "hello" }, "Run hello", "run"],
  ["llm.complete", { model: "m-1" }, "Model m-1", "model"],
  ["tool.call", { tool: "clock" }, "Tool clock", "tool"],
  ["memory.semantic", {}, "Semantic memory", "memory"],
  ["guardrails.input", {}, "Guardrails on the question", "guardrail"],
  ["something.new", {}, "something.new", "other"],
] as const)("%s", (name, attributes, title, kind) => {
  expect(spanTitle(span(name, attributes))).toBe(title);
  expect(spanKind(span(name))).toBe(kind);
});

test("a subject that is not a text is left out", () => {
  expect(spanSubject(span("llm.complete", { model: { name: "m" } }))).toBe("");
});

test("a run took what its model calls took; calls without a price are counted beside its cost", () => {
  const calls = [
    span("llm.complete", { input_tokens: 10, output_tokens: 2, cost_usd: 0.25 }),
    span("llm.complete", { input_tokens: 5 }),
    span("tool.call", { tool: "clock", input_tokens: 99 }),
  ];
  expect(spanTotals(calls)).toEqual({
    inputTokens: 15,
    outputTokens: 2,
    cost: { cost_usd: 0.25, unpriced_calls: 1 },
    modelCalls: 2,
    toolCalls: 1,
  });
  expect(spanTotals([]).cost).toEqual({ unpriced_calls: 0 });
});
