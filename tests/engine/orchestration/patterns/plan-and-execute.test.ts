import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../../../src/engine/run-state/run-event.ts";
import { endOfAnswer, type ScriptedCall } from "../../../support/scripted-model.ts";
import { spanTree } from "../../../support/span-tree.ts";
import { asks, type Stage, type StageOptions, says, stage, told } from "../../../support/staged-run.ts";

const one: StageOptions["tools"] = [{ name: "one", execute: async () => ({ success: true, data: 1 }) }];
const twoSteps = '{"steps": ["look it up", "work it out"]}';

interface Cast {
  planner?: readonly ScriptedCall[];
  worker?: readonly ScriptedCall[];
  synthesizer?: readonly ScriptedCall[];
}

function planning(cast: Cast = {}, options: StageOptions & { iterations?: number } = {}): Stage {
  const { planner = [twoSteps], worker = ["Found.", "Worked out."], synthesizer = ["Done."] } = cast;
  const { iterations = 10, spec, ...others } = options;
  return stage({
    ...others,
    roles: { planner, worker, synthesizer },
    spec: { ...spec, orchestration: { pattern: "plan_and_execute", max_iterations: iterations } },
  });
}

const model = (run: Stage, role: string) => run.modelOf(`staged/${role}`);
const steps = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "step" ? `${event.name}: ${event.content}` : []));
const lastMessages = (run: Stage, role: string) =>
  model(run, role).requests.map(({ messages }) => messages.at(-1)?.content ?? "");

test("a plan is made, its steps are done in order, the answer is made from their results", async () => {
  const run = planning({ synthesizer: [says("All ", "done.")] });
  const { events, result, tokens } = await run.run();
  expect(events.map(({ type }) => type)).toEqual(["step", "step", "step", "token", "token", "done"]);
  expect(steps(events)).toEqual([
    "plan: 1. look it up\n2. work it out",
    "step 1: Found.",
    "step 2: Worked out.",
  ]);
  expect([tokens, result?.response]).toEqual(["All done.", "All done."]);
  expect(result?.metadata).toMatchObject({ pattern: "plan_and_execute", iterations: 4 });
  expect(result?.usage.total_tokens).toBe(4 * 15);
  expect(run.model.requests).toEqual([]);
});

test("each call knows the conversation, what is planned, and what was found", async () => {
  const run = planning();
  await run.run({
    query: "Why?",
    history: [
      { role: "user", content: "Before" },
      { role: "assistant", content: "Then" },
    ],
  });
  for (const role of ["planner", "worker", "synthesizer"]) {
    for (const { messages } of model(run, role).requests) {
      expect(messages.map(({ role: by }) => by)).toEqual(["system", "user", "assistant", "user"]);
      expect(messages[1]?.content).toBe("Before");
      expect(messages.at(-1)?.content).toStartWith("Why?\n\n<instruction>\n");
    }
  }
  const [first = "", second = ""] = lastMessages(run, "worker");
  expect(first).toContain("1. look it up\n2. work it out");
  expect(first).toContain("<task>\nlook it up\n</task>");
  expect(first).not.toContain("<result");
  expect(second).toContain("<task>\nwork it out\n</task>");
  expect(second).toContain('<result part="1">\nlook it up\n\nFound.\n</result>');
  const [last = ""] = lastMessages(run, "synthesizer");
  expect(last).toContain("Found.");
  expect(last).toContain('<result part="2">\nwork it out\n\nWorked out.\n</result>');
});

test("the planner may call no tool, workers may, the synthesizer has none", async () => {
  const run = planning({}, { tools: one });
  await run.run();
  const may = (role: string) =>
    model(run, role).requests.map(({ toolChoice, tools }) => `${toolChoice} ${tools.length}`);
  expect(may("planner")).toEqual(["none 1"]);
  expect(may("worker")).toEqual(["auto 1", "auto 1"]);
  expect(may("synthesizer")).toEqual(["none 0"]);
});

test("a tool that the planner asks for is not called", async () => {
  const run = planning({ planner: [asks(twoSteps, "one")] }, { tools: one });
  const { result } = await run.run();
  expect(result?.tool_calls).toEqual([]);
  expect(model(run, "worker").requests).toHaveLength(2);
});

test("each step calls tools until it has a result; calls with one id are kept apart", async () => {
  const run = planning(
    { worker: [asks("Hm.", "one"), "Found.", asks("", "one", "one"), "Worked out."] },
    { tools: one },
  );
  const { events, result, tokens } = await run.run();
  const seen = events.flatMap((event) => {
    if (event.type === "tool_call" || event.type === "tool_result") return `${event.type} ${event.id}`;
    return event.type === "step" ? event.name : [];
  });
  expect(seen).toEqual([
    "plan",
    "tool_call 1.c0",
    "tool_result 1.c0",
    "step 1",
    "tool_call 2.c0",
    "tool_call 2.c1",
    "tool_result 2.c0",
    "tool_result 2.c1",
    "step 2",
  ]);
  expect(steps(events)[1]).toBe("step 1: Hm.\n\nFound.");
  expect(tokens).toBe("Done.");
  expect(result?.tool_calls).toHaveLength(3);
  expect(model(run, "worker").requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", callId: "c0" });
});

test("the trace shows each step with its calls below it", async () => {
  const run = planning({ worker: [asks("", "one"), "Found.", "Worked out."] }, { tools: one });
  await run.run();
  expect(spanTree(run.traces[0])).toEqual([
    "llm.complete planner",
    "step step 1",
    "  llm.complete worker",
    "  tool.call one",
    "  llm.complete worker",
    "step step 2",
    "  llm.complete worker",
    "llm.complete synthesizer",
  ]);
});

describe("an answer that holds no plan", () => {
  test.each(["I would look first.", "{}", '{"steps": []}', "{".repeat(1000)])("%p", async (planner) => {
    const run = planning({ planner: [planner], worker: ["Found."] });
    const { events, result } = await run.run({ query: "Why?" });
    expect(steps(events)).toEqual(["plan: 1. Why?", "step 1: Found."]);
    expect(told(model(run, "worker"))).toEqual(["system: You are staged.", "user: Why?"]);
    expect(result?.response).toBe("Done.");
  });

  test("may be none at all, or only a tool", async () => {
    for (const planner of [[endOfAnswer], asks("", "one")]) {
      const run = planning({ planner: [planner], worker: ["Found."] }, { tools: one });
      expect(steps((await run.run()).events)).toEqual(["plan: 1. hi", "step 1: Found."]);
    }
  });
});

describe("the limit of model calls", () => {
  const plan = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => `task ${at + 1}`));
  const busy = (run: Stage) => model(run, "worker").requests.map(({ toolChoice }) => toolChoice);

  const table: [iterations: number, planned: number, choices: string][] = [
    [3, 1, "none"],
    [4, 1, "auto none"],
    [4, 2, "none none"],
    [5, 2, "auto none none"],
    [6, 2, "auto none auto none"],
    [9, 3, "auto auto none auto none auto none"],
    [10, 3, "auto auto none auto auto none auto none"],
  ];
  test.each(table)(
    "of %i is shared by %i steps, and one is kept for the answer",
    async (iterations, planned, choices) => {
      const worker: ScriptedCall = async function* ({ toolChoice }) {
        yield* toolChoice === "auto" ? asks("", "one") : says("Found.");
      };
      const run = planning({ planner: [plan(planned)], worker: [worker] }, { iterations, tools: one });
      const { result } = await run.run();
      expect(busy(run).join(" ")).toBe(choices);
      expect(result).toMatchObject({ response: "Done.", metadata: { iterations } });
    },
  );

  test("what a step leaves goes to the next", async () => {
    const run = planning(
      { planner: [plan(2)], worker: ["Found.", asks("", "one")] },
      { iterations: 8, tools: one },
    );
    const { result, events } = await run.run();
    expect(busy(run).join(" ")).toBe("auto auto auto auto auto none");
    expect(steps(events).at(-1)).toBe("step 2: No result: its model calls were used up.");
    expect(result?.response).toBe("Done.");
    expect(lastMessages(run, "synthesizer")[0]).toContain('<result part="2" failed="true">');
  });

  test("a plan with more steps than there is room for loses none: the last step takes in the rest", async () => {
    const run = planning({ planner: [plan(5)], worker: ["Found."] }, { iterations: 4 });
    const { events } = await run.run();
    expect(steps(events)[0]).toBe("plan: 1. task 1\n2. task 2\ntask 3\ntask 4\ntask 5");
    expect(model(run, "worker").requests).toHaveLength(2);
    const long = planning({ planner: [plan(50)], worker: ["Found."] }, { iterations: 100 });
    await long.run();
    expect(model(long, "worker").requests).toHaveLength(10);
    expect(lastMessages(long, "worker").at(-1)).toContain("task 50\n</task>");
  });

  test("the planner gets the number of steps that there is room for", async () => {
    for (const [iterations, room] of [
      [3, 1],
      [8, 6],
      [100, 10],
    ] as const) {
      const run = planning({}, { iterations });
      await run.run();
      expect(lastMessages(run, "planner")[0]).toContain(`at most ${room} steps`);
    }
  });

  test("with too few calls to plan, the agent answers directly", async () => {
    for (const iterations of [1, 2]) {
      const run = planning(
        { synthesizer: iterations === 1 ? ["Hi."] : [asks("", "one"), "Hi."] },
        { iterations, tools: one },
      );
      const { result, events } = await run.run();
      expect([result?.response, steps(events)]).toEqual(["Hi.", []]);
      expect(result?.metadata.iterations).toBe(iterations);
      expect(told(model(run, "synthesizer"))[1]).toBe("user: hi");
    }
  });

  test("a limit of the caller's counts as the agent's own does", async () => {
    const run = planning({ planner: [plan(6)], worker: ["Found."] });
    expect((await run.run({ limits: { iterations: 4 } })).result?.metadata.iterations).toBe(4);
  });

  test("steps that all fail end the run with 422", async () => {
    const run = planning({ worker: [asks("", "one")] }, { iterations: 6, tools: one });
    const { thrown, events } = await run.run();
    expect(thrown).toMatchObject({ code: "max_iterations", status: 422 });
    expect(steps(events)).toHaveLength(3);
    expect(model(run, "synthesizer").requests).toEqual([]);
    expect(spanTree(run.traces[0]).filter((line) => line.endsWith("!"))).toEqual([
      "step step 1 !",
      "step step 2 !",
    ]);
  });
});

test("results are cut for a small window, so that all of them fit", async () => {
  const run = planning({ worker: ["word ".repeat(4000)] }, { contextWindow: 1000 });
  const { events } = await run.run();
  const [read = ""] = lastMessages(run, "synthesizer");
  expect(read.length).toBeLessThan(4000);
  expect(read.match(/characters left out/g)).toHaveLength(2);
  expect(steps(events)[1]?.length).toBeGreaterThan(20_000);
});

test("texts about steps pass the output guardrails, and the answer is stored", async () => {
  const run = planning(
    {
      planner: ['["write to a@example.com"]'],
      worker: ["Sent to b@example.com."],
      synthesizer: ["Sent to c@example.com."],
    },
    { spec: { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } } },
  );
  const { events, result } = await run.run();
  expect(steps(events)).toEqual(["plan: 1. write to [EMAIL]", "step 1: Sent to [EMAIL]."]);
  expect(result?.response).toBe("Sent to [EMAIL].");
  expect((await run.turns()).map(({ content }) => content)).toEqual(["hi", "Sent to [EMAIL]."]);
});

test("what is blocked in a step ends the run", async () => {
  const run = planning(
    { worker: ["Sent to b@example.com."] },
    { spec: { guardrails: { output: [{ type: "pii_detection", action: "block" }] } } },
  );
  const { thrown, events } = await run.run();
  expect(thrown).toMatchObject({ code: "guardrail_blocked" });
  expect(steps(events)).toHaveLength(1);
  expect(model(run, "synthesizer").requests).toEqual([]);
});

test("recorded texts are in the spans of the calls", async () => {
  const run = planning({}, { spec: { observability: { record: true } } });
  await run.run();
  const said = run.traces[0]?.spans.flatMap(({ name, attributes }) =>
    name === "llm.complete" ? attributes.output : [],
  );
  expect(said).toEqual([twoSteps, "Found.", "Worked out.", "Done."]);
});

test("a limit of tokens holds for all calls together, and is 402 wherever it is reached", async () => {
  const calls = new Set<number>();
  for (let totalTokens = 300; totalTokens <= 1200; totalTokens += 10) {
    const run = planning({ worker: ["Found.", "long ".repeat(60)] });
    const { result, thrown } = await run.run({ limits: { totalTokens } });
    calls.add(run.usage.length);
    if (result === undefined) expect(thrown).toMatchObject({ code: "budget_exceeded", status: 402 });
    expect(run.openAnswers()).toBe(0);
  }
  // No calls, some of them, and all of them.
  expect([calls.has(0), calls.size > 2, calls.has(4)]).toEqual([true, true, true]);
});
