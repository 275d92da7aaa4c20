import { expect, test } from "bun:test";
import type { PausedRun } from "../../../src/engine/approvals/paused-run.ts";
import { runWithApprovals } from "../../../src/engine/approvals/run-with-approvals.ts";
import type { Allowance } from "../../../src/engine/spending/allowance.ts";
import type { ToolResult } from "../../../src/engine/tools/tool.ts";
import { AppError, toAppError } from "../../../src/kit/app-error.ts";
import { settle } from "../../support/fake-clock.ts";
import { asks, type Stage, says, stage, told, untilAbort } from "../../support/staged-run.ts";

interface Part {
  response?: string;
  paused?: PausedRun;
  thrown?: unknown;
}

/** Runs until the end or a pause; the paused run is serialized and read back. */
async function runPart(on: Stage, run?: PausedRun, changed: Partial<Stage["agent"]> = {}): Promise<Part> {
  const part: Part = {};
  const resumed = run && { run, decision: { verdict: "approved" as const } };
  const going = runWithApprovals(on.ports, { ...on.agent, ...changed }, on.requestOf(), resumed);
  try {
    for (let next = await going.next(); ; next = await going.next()) {
      if (next.done === true) {
        if (next.value) part.paused = JSON.parse(JSON.stringify(next.value));
        return part;
      }
      if (next.value.type === "done") part.response = next.value.result.response;
    }
  } catch (thrown) {
    part.thrown = thrown;
    return part;
  }
}

/** Resumes the run. A run that takes another way fails after 30 seconds. */
async function resumed(on: Stage, run: PausedRun | undefined, changed?: Partial<Stage["agent"]>) {
  if (run === undefined) throw new Error("The run did not pause.");
  const going = runPart(on, run, changed);
  await settle();
  await on.clock.advance(31_000);
  return await going;
}

const pay = () => ({
  name: "pay",
  requiresApproval: true,
  execute: async () => ({ success: true, data: 1 }) as const,
});
const clerkTool = { name: "ask_clerk", type: "agent", config: { agent: "clerk" } };
const askClerk = (id: string) => ({ id, name: "ask_clerk", input: { query: "q" } });

test("two alike calls of one turn keep their results, also when the second ends first", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const look = {
    name: "look",
    async execute(): Promise<ToolResult> {
      const number = calls++;
      await gates[number]?.promise;
      return { success: true, data: `result ${number}` };
    },
  };
  const on = stage({
    calls: [asks("", { id: "a", name: "look" }, { id: "b", name: "look" }), asks("", "pay"), "Done."],
    tools: [look, pay()],
  });
  const pausing = runPart(on);
  while (calls < 2) await settle();
  gates[1]?.resolve();
  await settle();
  await settle();
  gates[0]?.resolve();
  const { paused } = await pausing;
  const before = told(on.model).filter((line) => line.includes("result"));
  const after = await resumed(on, paused);
  expect(after).toEqual({ response: "Done." });
  expect(told(on.model).filter((line) => line.includes("result"))).toEqual(before);
  expect(calls).toBe(2);
});

test("two alike questions to an agent keep their answers, also when the second ends first", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  const answer = async function* () {
    const number = asked++;
    await gates[number]?.promise;
    yield* says(`answer ${number}`);
  };
  const on = stage({
    spec: { tools: [clerkTool] },
    calls: [asks("", askClerk("a"), askClerk("b")), asks("", "pay"), "Done."],
    tools: [pay()],
    agents: { clerk: { calls: [answer] } },
  });
  const pausing = runPart(on);
  while (asked < 2) await settle();
  gates[1]?.resolve();
  await settle();
  await settle();
  gates[0]?.resolve();
  const { paused } = await pausing;
  expect(await resumed(on, paused)).toEqual({ response: "Done." });
  expect(asked).toBe(2);
});

test.each(["at once", "once the hold is written"])(
  "a sub-agent that its budget refused %s is refused again, with the same text",
  async (when) => {
    let left = 0;
    const refusal = () => new AppError("payment_required", "budget_exceeded", `${left} micros are left.`);
    const budget: Allowance = {
      hold() {
        if (left > 0) return { answerTokensMax: 100, settle() {} };
        if (when === "at once") throw refusal();
        return { answerTokensMax: 100, kept: Promise.reject(refusal()), settle() {} };
      },
      split: (parts) => Array.from({ length: parts }, () => budget),
    };
    const on = stage({
      spec: { tools: [clerkTool] },
      calls: [asks("", askClerk("a")), asks("", "pay"), "Done."],
      tools: [pay()],
      agents: { clerk: { calls: ["Never."] } },
      budgets: { clerk: budget },
    });
    const { paused } = await runPart(on);
    left = 1000;
    expect(await resumed(on, paused)).toEqual({ response: "Done." });
    expect(told(on.model).join("\n")).toContain("0 micros are left");
    expect(on.modelOf("clerk").requests).toEqual([]);
  },
);

test.each([
  ["its own", 40, 50],
  ["its caller's", 50, 40],
])(
  "a fan-out that %s time limit stopped before the pause makes no answer afterwards",
  async (_, own, called) => {
    const clerkWithLimit = { ...clerkTool, timeout_seconds: called };
    const on = stage({
      spec: { tools: [clerkWithLimit] },
      calls: [asks("", askClerk("a")), asks("", "pay"), "Done."],
      tools: [pay()],
      agents: {
        clerk: {
          spec: { orchestration: { pattern: "parallel_fan_out", timeout_seconds: own } },
          roles: {
            planner: ['["one", "two"]'],
            worker: [
              "One.",
              async function* (_request, signal) {
                yield* [];
                await untilAbort(signal);
              },
            ],
            synthesizer: ["Never."],
          },
        },
      },
    });
    const pausing = runPart(on);
    await on.clock.advance(41_000);
    const { paused } = await pausing;
    expect(await resumed(on, paused)).toEqual({ response: "Done." });
    expect(on.modelOf("clerk/worker").requests).toHaveLength(2);
    expect(on.modelOf("clerk/synthesizer").requests).toEqual([]);
  },
);

test("without the tool of the decided call the attempt fails as unavailable and does nothing", async () => {
  const on = stage({ calls: [asks("", "pay"), "Done."], tools: [pay()] });
  const { paused } = await runPart(on);
  if (paused === undefined) throw new Error("The run did not pause.");
  const early = await runPart(on, paused, { tools: new Map(), toolSpecs: [] });
  expect(toAppError(early.thrown)).toMatchObject({ kind: "unavailable", code: "tool_unavailable" });
  expect(on.model.requests).toHaveLength(1);
  expect(on.clock.pending).toBe(0);
  expect(await resumed(on, paused)).toEqual({ response: "Done." });
});

test("without a tool that an earlier call used the attempt fails as unavailable as well", async () => {
  const look = { name: "look", execute: async () => ({ success: true, data: 1 }) as const };
  const on = stage({ calls: [asks("", "look"), asks("", "pay"), "Done."], tools: [look, pay()] });
  const { paused } = await runPart(on);
  if (paused === undefined) throw new Error("The run did not pause.");
  const tools = new Map([...on.agent.tools].filter(([name]) => name !== "look"));
  const early = await runPart(on, paused, { tools });
  expect(toAppError(early.thrown).code).toBe("tool_unavailable");
  expect(await resumed(on, paused)).toEqual({ response: "Done." });
});

test("the waits of a chain's retries are over when its run is resumed", async () => {
  const on = stage({
    spec: { chain: { on_complete: [{ agent: "clerk", retry: { max_attempts: 2, backoff: 20 } }] } },
    calls: ["Asked."],
    agents: {
      clerk: {
        calls: [new AppError("upstream_failed", "provider_failed", "Down."), asks("", "pay"), "Paid."],
        tools: [pay()],
      },
    },
  });
  const pausing = runPart(on);
  await on.clock.advance(21_000);
  const { paused } = await pausing;
  if (paused === undefined) throw new Error("The run did not pause.");
  let part: Part | undefined;
  void runPart(on, paused).then((ended) => {
    part = ended;
  });
  for (let round = 0; round < 100 && part === undefined; round++) await settle();
  expect(part).toEqual({ response: "Asked." });
});
