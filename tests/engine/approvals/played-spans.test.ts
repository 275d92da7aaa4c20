import { describe, expect, test } from "bun:test";
import type { PausedRun } from "../../../src/engine/approvals/paused-run.ts";
import { runWithApprovals } from "../../../src/engine/approvals/run-with-approvals.ts";
import type { RunEvent } from "../../../src/engine/run-state/run-event.ts";
import type { OpenTrace } from "../../../src/engine/telemetry/trace.ts";
import { summarizeTrace } from "../../../src/services/daemon/traces/summarize-trace.ts";
import { asks, type Stage, type StageOptions, stage } from "../../support/staged-run.ts";

type Done = Extract<RunEvent, { type: "done" }>;

/** Runs to the end, approving every call. Returns the last event. */
async function runApproved(on: Stage): Promise<Done> {
  let paused: PausedRun | undefined;
  for (;;) {
    const resumed = paused && { run: paused, decision: { verdict: "approved" } as const };
    const going = runWithApprovals(on.ports, on.agent, on.requestOf(), resumed);
    let done: Done | undefined;
    let next = await going.next();
    for (; next.done !== true; next = await going.next()) if (next.value.type === "done") done = next.value;
    if (done !== undefined) return done;
    paused = JSON.parse(JSON.stringify(next.value));
  }
}

const working = (name: string, requiresApproval = false) => ({
  name,
  requiresApproval,
  execute: async () => ({ success: true as const, data: name }),
});
const pay = working("pay", true);
const price = { in: 1000, out: 1000, cached: 0 };

const cases: [what: string, options: StageOptions, parts: number][] = [
  ["an agent's own calls", { calls: [asks("", "look"), asks("", "pay"), "Paid."] }, 2],
  [
    "the calls of a run that pauses several times",
    { calls: [asks("", "pay"), asks("", "look", { id: "z", name: "pay", input: { n: 2 } }), "Paid."] },
    3,
  ],
  [
    "the calls of a sub-agent",
    {
      spec: { tools: [{ name: "ask_clerk", type: "agent", config: { agent: "clerk" } }] },
      calls: [asks("", { name: "ask_clerk", input: { query: "q" } }), "Clerk is done."],
      agents: {
        clerk: { calls: [asks("", "look"), asks("", "pay"), "Paid."], tools: [pay, working("look")], price },
      },
    },
    2,
  ],
  [
    "the calls of a chain",
    {
      spec: { chain: { on_complete: [{ agent: "clerk" }] } },
      agents: { clerk: { calls: [asks("", "pay"), "Paid."], tools: [pay], price } },
    },
    2,
  ],
  [
    "the calls of a tool",
    {
      spec: { tools: [{ name: "text_summarize", type: "builtin" }] },
      calls: [
        asks("", { name: "text_summarize", input: { text: "A wall. ".repeat(100) } }),
        asks("", "pay"),
        "Paid.",
      ],
      roles: { summarizer: ["A wall."] },
    },
    2,
  ],
];

const modelSpans = ({ spans }: OpenTrace) => spans.filter(({ name }) => name === "llm.complete");
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, one) => sum + one, 0);

describe.each(cases)("%s", (_, options, parts) => {
  const staged = () => stage({ tools: [pay, working("look")], price, ...options });

  test("count in the trace of the part that made them, and in no other", async () => {
    const on = staged();
    const { result, costMicros } = await runApproved(on);
    expect(on.traces).toHaveLength(parts);
    const summaries = on.traces.map((trace) => summarizeTrace(trace));
    expect(sumOf(summaries.map(({ model_calls: calls }) => calls))).toBe(on.usage.length);
    expect(sumOf(summaries.map(({ total_tokens: tokens }) => tokens))).toBe(
      sumOf(on.usage.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)),
    );
    expect(sumOf(summaries.map(({ cost_usd: cost = 0 }) => Math.round(cost * 1e6)))).toBe(
      sumOf(on.usage.map(({ costMicros: micros }) => micros ?? 0)),
    );
    // The result covers the whole run.
    expect(result.usage.total_tokens).toBe(sumOf(summaries.map(({ total_tokens: tokens }) => tokens)));
    expect(costMicros).toBe(sumOf(on.usage.map(({ costMicros: micros }) => micros ?? 0)));
  });

  test("are marked where they are repeated, without usage", async () => {
    const on = staged();
    await runApproved(on);
    const [first, ...resumed] = on.traces;
    expect(first && modelSpans(first).some(({ attributes }) => "played" in attributes)).toBeFalse();
    for (const trace of resumed) {
      const played = modelSpans(trace).filter(({ attributes }) => attributes.played === true);
      expect(played.length).toBeGreaterThan(0);
      for (const { attributes, status } of played) {
        expect([status, typeof attributes.model]).toEqual(["OK", "string"]);
        for (const usage of ["input_tokens", "output_tokens", "cached_tokens", "cost_usd"])
          expect(attributes).not.toHaveProperty(usage);
      }
    }
  });
});

test("a tool's call counts once as well, also one that ends after the run has reached the decided call", async () => {
  const on = stage({ calls: [asks("", "pay", "look"), "Paid."], tools: [pay, working("look")] });
  await runApproved(on);
  expect(on.toolsExecuted.map(({ tool }) => tool)).toEqual(["look", "pay"]);
  const spans = on.traces[1]?.spans.filter(({ name }) => name === "tool.call");
  expect(spans?.map(({ attributes }) => [attributes.tool, attributes.played])).toEqual([
    ["pay", undefined],
    ["look", true],
  ]);
  expect(on.traces.map((trace) => summarizeTrace(trace).tool_calls)).toEqual([2, 1]);
});
