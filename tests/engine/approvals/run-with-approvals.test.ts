import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PausedRun } from "../../../src/engine/approvals/paused-run.ts";
import { runWithApprovals } from "../../../src/engine/approvals/run-with-approvals.ts";
import type { InterceptorDecision } from "../../../src/engine/run-state/interceptor.ts";
import type { RunEvent } from "../../../src/engine/run-state/run-event.ts";
import type { Allowance } from "../../../src/engine/spending/allowance.ts";
import type { ToolResult } from "../../../src/engine/tools/tool.ts";
import { toAppError } from "../../../src/kit/app-error.ts";
import { settle } from "../../support/fake-clock.ts";
import { asks, type Stage, type StageOptions, says, stage, told } from "../../support/staged-run.ts";

/** The result of one part of a run, up to its end or a pause. */
interface RunPart {
  events: RunEvent[];
  tokens: string;
  response: string | undefined;
  paused: PausedRun | undefined;
  thrown: unknown;
}

/** Runs until the end or a pause; the paused run is serialized and read back. */
async function runPart(
  on: Stage,
  resumed?: { run: PausedRun | undefined; decision: InterceptorDecision; reached?: () => void },
): Promise<RunPart> {
  const made: RunPart = { events: [], tokens: "", response: undefined, paused: undefined, thrown: undefined };
  const { run, ...rest } = resumed ?? {};
  if (resumed !== undefined && run === undefined) throw new Error("the run did not pause");
  const going = runWithApprovals(
    on.ports,
    on.agent,
    on.requestOf(),
    resumed && run && { run, decision: resumed.decision, ...rest },
  );
  try {
    for (let next = await going.next(); ; next = await going.next()) {
      if (next.done === true) {
        made.paused = next.value && (JSON.parse(JSON.stringify(next.value)) as PausedRun);
        return made;
      }
      made.events.push(next.value);
      if (next.value.type === "token") made.tokens += next.value.content;
      if (next.value.type === "done") made.response = next.value.result.response;
    }
  } catch (thrown) {
    return { ...made, thrown };
  }
}

const approved = { verdict: "approved" } as const;

/** A tool that counts its calls. */
function counted(
  name: string,
  requiresApproval = false,
  answer: () => ToolResult | Promise<ToolResult> = () => ({ success: true, data: `${name} done` }),
) {
  const calls: unknown[] = [];
  return {
    calls,
    tool: {
      name,
      requiresApproval,
      execute: async (input: Record<string, unknown>) => {
        calls.push(input);
        return answer();
      },
    },
  };
}

const typesOf = ({ events }: RunPart) => events.map(({ type }) => type);

test("a run pauses before the call and continues with it once it is approved, paying for nothing twice", async () => {
  const pay = counted("pay", true);
  const look = counted("look");
  const on = stage({
    calls: [
      asks("Looking.", { id: "l", name: "look", input: { at: 1 } }),
      asks("Paying.", { id: "p", name: "pay", input: { sum: 7 } }),
      says("Al", "l paid."),
    ],
    tools: [pay.tool, look.tool],
    price: { in: 1000, out: 1000 },
  });
  const first = await runPart(on);
  expect(first.paused?.pending).toEqual({ agent: "staged", tool: "pay", input: { sum: 7 } });
  expect(typesOf(first)).toEqual(["token", "tool_call", "tool_result", "token", "token", "tool_call"]);
  expect([pay.calls.length, look.calls.length, on.model.requests.length]).toEqual([0, 1, 2]);
  expect(await on.turns()).toEqual([]);
  expect(on.finished.map(({ status }) => status)).toEqual(["awaiting_approval"]);
  expect(on.traces.map(({ status }) => status)).toEqual(["OK"]);
  expect(on.usage).toHaveLength(2);

  const second = await runPart(on, { run: first.paused, decision: approved });
  expect(second.thrown).toBeUndefined();
  expect(typesOf(second)).toEqual(["tool_result", "token", "token", "token", "done"]);
  expect(second.response).toBe(first.tokens + second.tokens);
  expect(second.response).toBe("Looking.\n\nPaying.\n\nAll paid.");
  expect([pay.calls, look.calls.length, on.model.requests.length]).toEqual([[{ sum: 7 }], 1, 3]);
  const done = second.events.at(-1);
  expect(done).toMatchObject({ type: "done", result: { usage: { input_tokens: 30, output_tokens: 15 } } });
  // Each of the three calls is counted once.
  expect(on.usage).toHaveLength(3);
  expect(on.finished.map(({ inputTokens }) => inputTokens)).toEqual([20, 10]);
  expect(on.toolsExecuted.map(({ tool }) => tool)).toEqual(["look", "pay"]);
  expect((await on.turns()).map(({ content }) => content)).toEqual([
    "hi",
    "Looking.\n\nPaying.\n\nAll paid.",
  ]);
});

test("a rejected call is a failed result that says who rejected it and why", async () => {
  const pay = counted("pay", true);
  const on = stage({ calls: [asks("", "pay"), "Not paid."], tools: [pay.tool] });
  const { paused } = await runPart(on);
  const after = await runPart(on, { run: paused, decision: { verdict: "rejected", comment: "too dear" } });
  expect(after.response).toBe("Not paid.");
  expect(pay.calls).toEqual([]);
  expect(told(on.model).at(-1)).toContain("A person rejected this call of pay");
  expect(told(on.model).at(-1)).toContain("too dear");
});

test("calls of the same turn that need no approval are carried out before the pause, and once", async () => {
  const gate = Promise.withResolvers<void>();
  const slow = counted("slow", false, async () => {
    await gate.promise;
    return { success: true, data: 1 };
  });
  const pay = counted("pay", true);
  const on = stage({ calls: [asks("", "pay", "slow"), "Done."], tools: [pay.tool, slow.tool] });
  const pausing = runPart(on);
  await settle();
  await settle();
  expect(slow.calls).toHaveLength(1);
  gate.resolve();
  const { paused } = await pausing;
  expect(paused?.entries.map(({ kind }) => kind)).toContain("tool");
  const after = await runPart(on, { run: paused, decision: approved });
  expect(after.response).toBe("Done.");
  expect([slow.calls.length, pay.calls.length]).toEqual([1, 1]);
});

test("each call has its own decision, also of the same tool with the same input", async () => {
  const pay = counted("pay", true);
  const on = stage({
    calls: [asks("", { id: "a", name: "pay" }, { id: "b", name: "pay" }), "Done."],
    tools: [pay.tool],
  });
  const first = await runPart(on);
  expect(pay.calls).toHaveLength(0);
  const second = await runPart(on, { run: first.paused, decision: approved });
  expect(second.paused).toBeDefined();
  expect(pay.calls).toHaveLength(1);
  const third = await runPart(on, { run: second.paused, decision: { verdict: "rejected" } });
  expect(third.response).toBe("Done.");
  expect(pay.calls).toHaveLength(1);
  const results = [...first.events, ...second.events, ...third.events].filter(
    ({ type }) => type === "tool_result",
  );
  expect(results).toMatchObject([
    { id: "a", ok: true },
    { id: "b", ok: false },
  ]);
});

test("an input that the tool refuses is not asked about", async () => {
  const on = stage({
    spec: { tools: [{ name: "cache_store", type: "builtin", requires_approval: true }] },
    calls: [asks("", { name: "cache_store", input: { action: "explode" } }), "Sorry."],
  });
  const only = await runPart(on);
  expect(only).toMatchObject({ response: "Sorry.", paused: undefined });
});

test("without anybody to ask, a call that needs approval fails", async () => {
  const pay = counted("pay", true);
  const on = stage({ calls: [asks("", "pay"), "Well."], tools: [pay.tool] });
  const { result } = await on.run();
  expect(result?.response).toBe("Well.");
  expect(pay.calls).toEqual([]);
  expect(told(on.model).at(-1)).toContain("can't be asked for here");
});

describe("a call below the agent that was asked pauses the whole run", () => {
  const delegating = (spec: Record<string, unknown> = {}) => ({
    tools: [{ name: "ask_clerk", type: "agent", config: { agent: "clerk" } }],
    ...spec,
  });

  const cases: [
    how: string,
    options: (pay: ReturnType<typeof counted>["tool"]) => StageOptions,
    answer: string,
  ][] = [
    [
      "an agent tool",
      (pay) => ({
        spec: delegating(),
        calls: [asks("", { name: "ask_clerk", input: { query: "pay" } }), "Clerk is done."],
        agents: { clerk: { calls: [asks("", "pay"), "Paid."], tools: [pay] } },
      }),
      "Clerk is done.",
    ],
    [
      "a chain",
      (pay) => ({
        spec: { chain: { on_complete: [{ agent: "clerk" }] } },
        calls: ["Asked."],
        agents: { clerk: { calls: [asks("", "pay"), "Paid."], tools: [pay] } },
      }),
      "Asked.",
    ],
    [
      "a part of a fan-out",
      (pay) => ({
        spec: { orchestration: { pattern: "parallel_fan_out" } },
        calls: ["unused"],
        roles: {
          planner: ['["one", "two"]'],
          worker: [asks("", "pay"), "One.", "Two.", "Three."],
          synthesizer: ["Both."],
        },
        tools: [pay],
      }),
      "Both.",
    ],
  ];
  for (const [how, options, answer] of cases) {
    test(how, async () => {
      const pay = counted("pay", true);
      const on = stage(options(pay.tool));
      const first = await runPart(on);
      expect(first.thrown).toBeUndefined();
      expect(first.paused?.pending.tool).toBe("pay");
      expect(first.events.some((event) => event.type === "tool_result" && !event.ok)).toBe(false);
      expect(pay.calls).toEqual([]);
      const callsBefore = on.usage.length;
      const second = await runPart(on, { run: first.paused, decision: approved });
      expect(second.thrown).toBeUndefined();
      expect(second.response).toBe(answer);
      expect(pay.calls).toHaveLength(1);
      expect(callsBefore).toBeGreaterThan(0);
      const turns = await on.turns();
      expect(turns.map(({ content }) => content)).toEqual(["hi", answer]);
      expect(first.tokens + second.tokens).toBe(answer);
    });
  }
});

test.each(["react", "swarm", "supervisor"])(
  "%s: letting another agent work can need approval itself",
  async (pattern) => {
    const entry = { name: "ask_clerk", type: "agent", requires_approval: true, config: { agent: "clerk" } };
    const on = stage({
      spec: { orchestration: { pattern }, tools: [entry] },
      calls: [asks("", { name: "ask_clerk", input: { query: "q" } }), "End."],
      roles: { supervisor: [asks("", { name: "ask_clerk", input: { query: "q" } }), "End."] },
      agents: { clerk: { calls: ["Clerk speaks."] } },
    });
    const first = await runPart(on);
    expect(first.paused?.pending.tool).toBe("ask_clerk");
    expect(on.modelOf("clerk").requests).toHaveLength(0);
    const second = await runPart(on, { run: first.paused, decision: approved });
    expect(second.thrown).toBeUndefined();
    expect(on.modelOf("clerk").requests).toHaveLength(1);
    expect(first.tokens + second.tokens).toBe(second.response ?? "");
  },
);

test("a call that was only proposed before the pause is in the result once, with any rate limit", async () => {
  const on = stage({
    spec: {
      tools: [
        {
          name: "cache_store",
          type: "builtin",
          mode: "propose",
          rate_limit: { max_calls: 1, window_seconds: 60 },
        },
      ],
    },
    calls: [
      asks("", { id: "n", name: "cache_store", input: { action: "set", key: "k", value: 1 } }),
      asks("", { id: "p", name: "pay" }),
      "End.",
    ],
    tools: [counted("pay", true).tool],
  });
  const first = await runPart(on);
  const second = await runPart(on, { run: first.paused, decision: approved });
  const done = second.events.at(-1);
  if (done?.type !== "done") throw second.thrown;
  expect(done.result.propuestas).toHaveLength(1);
  expect(on.model.requests).toHaveLength(3);
});

test("a budget holds and counts each call once, however often the run continues", async () => {
  const held: number[] = [];
  const settled: number[] = [];
  const budget: Allowance = {
    hold(call) {
      held.push(call.inputTokensMax);
      return { answerTokensMax: 100 - held.length, settle: (spent) => void settled.push(spent.length) };
    },
    split: (parts) => Array.from({ length: parts }, () => budget),
  };
  const on = stage({
    calls: [asks("", "pay"), asks("", { id: "z", name: "pay", input: { n: 2 } }), "Done."],
    tools: [counted("pay", true).tool],
    budgets: { staged: budget },
  });
  const first = await runPart(on);
  const second = await runPart(on, { run: first.paused, decision: approved });
  const third = await runPart(on, { run: second.paused, decision: approved });
  expect(third.response).toBe("Done.");
  expect([held.length, settled]).toEqual([3, [1, 1, 1]]);
});

test("a run that does not come back to the decided call asks nothing and fails", async () => {
  const pay = counted("pay", true);
  const on = stage({ calls: [asks("", "pay"), "Paid."], tools: [pay.tool] });
  const { paused } = await runPart(on);
  let isReached = false;
  const run = paused && { ...paused, entries: [] };
  const going = runPart(on, { run, decision: approved, reached: () => (isReached = true) });
  await on.clock.advance(31_000);
  const { thrown } = await going;
  expect(toAppError(thrown).code).toBe("run_diverged");
  expect([isReached, pay.calls.length, on.model.requests.length]).toEqual([false, 0, 1]);
  expect(on.clock.pending).toBe(0);
});

test("a sub-agent that ran out of time before the pause has run out of it afterwards too", async () => {
  const pay = counted("pay", true);
  const on = stage({
    spec: {
      tools: [{ name: "ask_clerk", type: "agent", timeout_seconds: 5, config: { agent: "clerk" } }],
    },
    calls: [
      asks("", { name: "ask_clerk", input: { query: "q" } }),
      asks("", { id: "p", name: "pay" }),
      "End.",
    ],
    tools: [pay.tool],
    agents: {
      clerk: {
        calls: [
          async function* (_request, signal) {
            yield* [];
            await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          },
        ],
      },
    },
  });
  const pausing = runPart(on);
  await on.clock.advance(6_000);
  const { paused } = await pausing;
  expect(paused?.pending.tool).toBe("pay");
  const after = await runPart(on, { run: paused, decision: approved });
  expect(after).toMatchObject({ response: "End.", thrown: undefined });
  expect(on.modelOf("clerk").requests).toHaveLength(1);
});

test("for any turns, every approved call is carried out once, and the joined streams are the answer", async () => {
  const turn = fc.record({
    text: fc.constantFrom("", "Let me see.", "Hm "),
    calls: fc.array(fc.constantFrom("pay", "look"), { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { maxLength: 4 }),
      fc.infiniteStream(fc.boolean()),
      async (turns, verdicts) => {
        const pay = counted("pay", true);
        const look = counted("look");
        const on = stage({
          calls: [
            ...turns.map(({ text, calls }, at) =>
              asks(text, ...calls.map((name, index) => ({ id: `${at}.${index}`, name, input: { at } }))),
            ),
            says("The ", "end."),
          ],
          tools: [pay.tool, look.tool],
        });
        let tokens = "";
        let approvals = 0;
        const seen: string[] = [];
        let last = await runPart(on);
        for (;;) {
          tokens += last.tokens;
          for (const event of last.events) {
            if (event.type === "tool_call" || event.type === "tool_result")
              seen.push(`${event.type} ${event.id}`);
          }
          if (last.paused === undefined) break;
          const isApproved = verdicts.next().value === true;
          if (isApproved) approvals++;
          last = await runPart(on, {
            run: last.paused,
            decision: { verdict: isApproved ? "approved" : "rejected" },
          });
        }
        expect(last.thrown).toBeUndefined();
        expect(tokens).toBe(last.response ?? "");
        expect(pay.calls).toHaveLength(approvals);
        expect(look.calls).toHaveLength(
          turns.flatMap(({ calls }) => calls.filter((name) => name === "look")).length,
        );
        expect(on.model.requests).toHaveLength(turns.length + 1);
        expect(on.usage).toHaveLength(turns.length + 1);
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toHaveLength(2 * turns.flatMap(({ calls }) => calls).length);
      },
    ),
    { numRuns: 60 },
  );
});
