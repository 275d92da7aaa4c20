import { describe, expect, test } from "bun:test";
import { runWithApprovals } from "../../../src/engine/approvals/run-with-approvals.ts";
import { settle } from "../../support/fake-clock.ts";
import { asks, play, type Stage, type StageOptions, stage, untilAbort } from "../../support/staged-run.ts";

/*
 * A turn whose reader leaves before its last result, while another call of the turn uses a model.
 */

const text = "The wall keeps the town dry. It was built in thirteen months. ".repeat(20);
const summarize = { name: "text_summarize", input: { text } };
const summarizer = { name: "text_summarize", type: "builtin" };
const filter = { type: "content_filter", action: "block", keywords: ["forbiddenword"] };
const price = { in: 1000, out: 1000, cached: 0 };

/** An agent whose turn calls `fast` and `calls`. `fast` returns the forbidden word once the summary has begun. */
function summer(
  { spec, tools = [], workers = [], ...options }: StageOptions & { workers?: StageOptions["calls"] } = {},
  ...calls: string[]
): Stage {
  const begun = Promise.withResolvers<void>();
  const slow = async function* (_: unknown, signal: AbortSignal) {
    yield { type: "text" as const, text: "A wall" };
    begun.resolve();
    yield await untilAbort(signal);
  };
  const fast = async () => {
    await begun.promise;
    // A call that waits for a person makes the run pause from here on, once no other work is left.
    await settle();
    return { success: true as const, data: { w: "forbiddenword" } };
  };
  return stage({
    calls: [asks("", "fast", ...calls, summarize), "Never."],
    roles: { summarizer: [slow], planner: ['["one", "two"]'], worker: workers },
    agents: { clerk: { calls: [slow], price } },
    price,
    ...options,
    spec: { tools: [summarizer], guardrails: { output: [filter] }, ...spec },
    tools: [{ name: "fast", execute: fast }, ...tools],
  });
}

/** Returns the agents and roles whose model calls were recorded, and expects their spans to add up to the records. */
function countedCalls(run: Stage): string[] {
  const spans = run.traces.flatMap(({ spans }) => spans.filter(({ name }) => name === "llm.complete"));
  const micros = (amounts: (number | null)[]) => amounts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  expect(micros(spans.map(({ attributes }) => Math.round(Number(attributes.cost_usd) * 1e6)))).toBe(
    micros(run.usage.map(({ costMicros }) => costMicros)),
  );
  expect(run.usage.every(({ costMicros }) => (costMicros ?? 0) > 0)).toBeTrue();
  return run.usage.map(({ agent, role }) => (role === undefined ? agent : `${agent}/${role}`));
}

function expectEnded(run: Stage, status: string): void {
  expect(run.finished.find(({ agent }) => agent === "staged")?.status as string).toBe(status);
  expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
}

describe("a guardrail that blocks one result", () => {
  test("leaves no model call of another tool uncounted", async () => {
    const run = summer();
    const { thrown } = await run.run();
    expect(thrown).toMatchObject({ code: "guardrail_blocked", status: 422 });
    expect(countedCalls(run)).toEqual(["staged", "staged/summarizer"]);
    expect(run.usage[1]).toMatchObject({ estimated: true });
    expect(run.toolsExecuted.map(({ tool, ok }) => `${tool} ${ok}`)).toEqual([
      "fast true",
      "text_summarize false",
    ]);
    expectEnded(run, "blocked");
  });

  test("does not wait for a tool that ignores its signal", async () => {
    const deaf = { name: "deaf", execute: () => new Promise<never>(() => {}) };
    const run = summer({ tools: [deaf] }, "deaf");
    const { thrown } = await run.run();
    expect(thrown).toMatchObject({ code: "guardrail_blocked" });
    expect(countedCalls(run)).toEqual(["staged", "staged/summarizer"]);
    expectEnded(run, "blocked");
  });

  test("waits for an agent that works for the turn", async () => {
    const askClerk = { name: "ask_clerk", type: "agent", config: { agent: "clerk" } };
    const run = summer({
      spec: { tools: [askClerk] },
      calls: [asks("", "fast", { name: "ask_clerk", input: { query: "q" } }), "Never."],
    });
    const { thrown } = await run.run();
    expect(thrown).toMatchObject({ code: "guardrail_blocked" });
    // The clerk's run ends before the run that started it.
    expect(run.finished.map(({ agent }) => agent)).toEqual(["clerk", "staged"]);
    expect(countedCalls(run)).toEqual(["clerk", "staged"]);
    expectEnded(run, "blocked");
  });

  test("does so in a part of a fan-out", async () => {
    const run = summer({
      spec: { tools: [summarizer], orchestration: { pattern: "parallel_fan_out" } },
      workers: [asks("", "fast", summarize), "Two."],
    });
    const { thrown } = await run.run();
    expect(thrown).toMatchObject({ code: "guardrail_blocked" });
    expect(countedCalls(run).sort()).toEqual([
      "staged/planner",
      "staged/summarizer",
      "staged/worker",
      "staged/worker",
    ]);
    expectEnded(run, "blocked");
  });

  test("ends a run whose turn has a call that waits for a person", async () => {
    const pay = {
      name: "pay",
      requiresApproval: true,
      execute: async () => ({ success: true as const, data: 1 }),
    };
    const run = summer({ tools: [pay] }, "pay");
    const { thrown } = await play(runWithApprovals(run.ports, run.agent, run.requestOf()));
    expect(thrown).toMatchObject({ code: "guardrail_blocked" });
    expect(countedCalls(run)).toEqual(["staged", "staged/summarizer"]);
    expectEnded(run, "blocked");
  });
});

describe("the model calls of a turn count as well if", () => {
  const unguarded = { spec: { guardrails: {}, orchestration: { timeout_seconds: 20 } } };

  test("the reader leaves", async () => {
    const run = summer(unguarded);
    for await (const event of run.start()) if (event.type === "tool_result") break;
    expect(countedCalls(run)).toEqual(["staged", "staged/summarizer"]);
    expectEnded(run, "cancelled");
  });

  test("the time of the run is up", async () => {
    const run = summer(unguarded);
    const playing = run.run();
    await run.clock.advance(20_000);
    expect((await playing).thrown).toMatchObject({ code: "orchestration_timeout" });
    expect(countedCalls(run)).toEqual(["staged", "staged/summarizer"]);
    expectEnded(run, "timeout");
  });

  test("the caller cancels the run after a result that it has not read", async () => {
    const run = summer(unguarded);
    const caller = new AbortController();
    const events = run.start({ cancelledBy: [caller.signal] });
    for (let next = await events.next(); next.value?.type !== "tool_result"; ) next = await events.next();
    caller.abort();
    await settle();
    await events.return();
    expect(countedCalls(run)).toEqual(["staged", "staged/summarizer"]);
    expectEnded(run, "cancelled");
  });
});
