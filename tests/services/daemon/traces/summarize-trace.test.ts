import { expect, test } from "bun:test";
import { presentTrace } from "../../../../src/engine/telemetry/present-trace.ts";
import type { RecordedSpan } from "../../../../src/engine/telemetry/trace.ts";
import { listedTrace, summarizeTrace } from "../../../../src/services/daemon/traces/summarize-trace.ts";

function summaryOf(root: Record<string, unknown>, ...calls: [provider: string, error?: string][]) {
  const spans = calls.map(
    ([provider, error]): RecordedSpan => [
      "llm.complete",
      0,
      1,
      1,
      error === undefined ? "OK" : "ERROR",
      { provider, model: "m", ...(error !== undefined && { error }) },
    ],
  );
  const status = root.error === undefined ? "OK" : "ERROR";
  return summarizeTrace(
    presentTrace({
      trace_id: "0198f6a1-1111-7222-8333-0123456789ab",
      agent: "desk",
      session_id: "s",
      status,
      started_at_ms: 0,
      duration_ms: 9,
      spans: [["agent.run", -1, 0, 9, status, { agent: "desk", ...root }], ...spans],
    }),
  );
}

test("a run that failed over names who answered, and counts each call that was made", () => {
  const summary = summaryOf({}, ["paused", "circuit_open"], ["down", "unreachable"], ["spare"]);
  expect(summary).toMatchObject({ provider: "spare", model_calls: 2 });
});

test("a run without an answer names the last provider asked, with the error and its reason", () => {
  const root = { error: "no_provider_available", reason: "No model provider is available: down/m is down." };
  expect(summaryOf(root, ["down", "unreachable"], ["spare", "auth"])).toMatchObject({
    provider: "spare",
    model_calls: 2,
    ...root,
  });
});

test.each([
  [200, true, 200],
  [201, true, 0],
  [3, false, 0],
])(
  "a trace of %i spans in a list with spans: %p has %i of them, and says how many there are",
  (count, withSpans, shown) => {
    const span = (number: number): RecordedSpan => ["tool.call", number - 1, 0, 1, "OK", {}];
    const trace = presentTrace({
      trace_id: "0198f6a1-1111-7222-8333-0123456789ab",
      agent: "desk",
      session_id: "s",
      status: "OK",
      started_at_ms: 0,
      duration_ms: 9,
      spans: Array.from({ length: count }, (_, number) => span(number)),
    });
    const listed = listedTrace(trace, withSpans);
    expect(listed.spans).toHaveLength(shown);
    expect(listed.span_count).toBe(count);
    expect(listed.summary.tool_calls).toBe(count);
  },
);
