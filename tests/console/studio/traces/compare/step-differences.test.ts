import { expect, test } from "bun:test";
import { stepDifferences } from "../../../../../src/console/studio/traces/compare/step-differences.ts";
import { presentTrace } from "../../../../../src/engine/telemetry/present-trace.ts";
import type { RecordedSpan } from "../../../../../src/engine/telemetry/trace.ts";

const id = "0198f6a1-1111-7222-8333-0123456789ab";

/** A run whose steps below the root are these models, or tools with a `!` if they failed. */
function runOf(agent: string, ...steps: string[]) {
  const spans = steps.map((step, at): RecordedSpan => {
    const [name, subject = ""] = step.replace("!", "").split(" ");
    const attribute = name === "tool.call" ? "tool" : "model";
    return [name ?? "", 0, at + 1, 1, step.endsWith("!") ? "ERROR" : "OK", { [attribute]: subject }];
  });
  return presentTrace({
    trace_id: id,
    agent,
    session_id: "s",
    status: "OK",
    started_at_ms: 0,
    duration_ms: 100,
    spans: [["agent.run", -1, 0, 100, "OK", { agent }], ...spans],
  });
}

const titles = (a: ReturnType<typeof runOf>, b: ReturnType<typeof runOf>) => {
  const { pairs, first } = stepDifferences(a, b);
  return { pairs: pairs.map((pair) => [pair.a?.title ?? "-", pair.b?.title ?? "-"]), first };
};

test("equal steps have no difference, even with another agent and other times", () => {
  const { pairs, first } = titles(runOf("a", "llm.complete m"), runOf("b", "llm.complete m"));
  expect(first).toBeUndefined();
  expect(pairs).toEqual([
    ["Run a", "Run b"],
    ["Model m", "Model m"],
  ]);
});

test("a step that only one run has does not shift the others", () => {
  const short = runOf("a", "llm.complete m", "llm.complete m");
  const long = runOf("a", "llm.complete m", "tool.call clock", "llm.complete m");
  expect(titles(short, long)).toEqual({
    first: 2,
    pairs: [
      ["Run a", "Run a"],
      ["Model m", "Model m"],
      ["-", "Tool clock"],
      ["Model m", "Model m"],
    ],
  });
  expect(titles(long, short).pairs[2]).toEqual(["Tool clock", "-"]);
});

test("another subject or another outcome is a difference", () => {
  expect(titles(runOf("a", "tool.call x"), runOf("a", "tool.call y"))).toEqual({
    first: 1,
    pairs: [
      ["Run a", "Run a"],
      ["Tool x", "Tool y"],
    ],
  });
  expect(titles(runOf("a", "tool.call x"), runOf("a", "tool.call x!")).first).toBe(1);
});

test("very long runs are compared in their order, without much work", () => {
  const steps = Array.from({ length: 3000 }, (_, at) => `tool.call t${at}`);
  const { pairs, first } = stepDifferences(runOf("a", ...steps), runOf("a", ...steps.slice(0, 2990)));
  expect([pairs.length, first]).toEqual([3001, 2991]);
});
