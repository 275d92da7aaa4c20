import { expect, test } from "bun:test";
import fc from "fast-check";
import { skippedCall } from "../../../../src/contracts/daemon/runs/traced-calls.ts";
import { presentTrace } from "../../../../src/engine/telemetry/present-trace.ts";
import type { RecordedSpan, RecordedTrace } from "../../../../src/engine/telemetry/trace.ts";
import { summarizeTrace } from "../../../../src/services/daemon/traces/summarize-trace.ts";
import { factsOf, microsOf } from "../../../../src/services/daemon/traces/trace-facts.ts";

const status = fc.constantFrom<"OK" | "ERROR">("OK", "ERROR");
const attributes = fc.record(
  {
    provider: fc.constantFrom("a", "b"),
    model: fc.constantFrom<unknown>("small", "large", 7),
    error: fc.constantFrom<unknown>(skippedCall, "approval_required", "timeout", 1),
    input_tokens: fc.constantFrom<unknown>(3, 1000, "3"),
    output_tokens: fc.nat(50),
    source: fc.constantFrom<unknown>("eval", "playground", "trigger", "nothing", 1),
    cost_usd: fc.constantFrom(0.000001, 0.1, 0.2),
  },
  { requiredKeys: [] },
);
const names = fc.constantFrom("agent.run", "llm.complete", "tool.call", "orchestration");
const below = fc.array(fc.tuple(names, fc.nat(), status, attributes), { maxLength: 12 });

test("the facts of a run are those of its summary, with agents that worked for it and calls that were not made", () => {
  fc.assert(
    fc.property(status, attributes, below, (ended, root, others) => {
      const spans = others.map(
        ([name, above, end, own], at): RecordedSpan => [name, above % (at + 1), 1, 1, end, own],
      );
      const trace: RecordedTrace = {
        trace_id: "0198f6a1-1111-7222-8333-0123456789ab",
        agent: "desk",
        session_id: "s",
        status: ended,
        started_at_ms: 0,
        duration_ms: 9,
        spans: [["agent.run", -1, 0, 9, ended, root], ...spans],
      };
      const summary = summarizeTrace(presentTrace(trace));
      expect(factsOf(trace)).toEqual({
        model: summary.model ?? "",
        inputTokens: summary.input_tokens,
        outputTokens: summary.output_tokens,
        costMicros: microsOf(summary.cost_usd ?? 0),
        source: summary.source,
        unpricedCalls: summary.unpriced_calls,
        outcome: summary.error === "approval_required" ? "PAUSED" : ended,
      });
    }),
  );
});
