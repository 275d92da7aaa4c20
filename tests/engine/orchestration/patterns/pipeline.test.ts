import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../../../src/engine/run-state/run-event.ts";
import { endOfAnswer, type ScriptedCall } from "../../../support/scripted-model.ts";
import { spanTree } from "../../../support/span-tree.ts";
import { asks, type Stage, type StageOptions, says, stage, told } from "../../../support/staged-run.ts";

const one: StageOptions["tools"] = [{ name: "one", execute: async () => ({ success: true, data: 1 }) }];
const abc = [
  { name: "a", prompt: "First: {{ user_query }}" },
  { name: "b", prompt: "Then: {{ previous }}" },
  { name: "c", prompt: "{{ stage }}: {{ outputs.a }} and {{ outputs.b }}{{ outputs.c }}" },
];

function staged(
  scripts: Record<string, readonly ScriptedCall[]>,
  {
    iterations = 10,
    stages = abc,
    ...options
  }: StageOptions & { iterations?: number; stages?: typeof abc } = {},
): Stage {
  return stage({
    ...options,
    roles: Object.fromEntries(Object.entries(scripts).map(([name, calls]) => [`stage:${name}`, calls])),
    spec: {
      ...options.spec,
      orchestration: {
        pattern: "pipeline",
        max_iterations: iterations,
        ...(stages.length > 0 && { stages }),
      },
    },
  });
}

const model = (run: Stage, name: string) => run.modelOf(`staged/stage:${name}`);
const steps = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "step" ? `${event.name}: ${event.content}` : []));
const instruction = (run: Stage, name: string) =>
  /^hi\n\n<instruction>\n([\s\S]*)\n<\/instruction>$/.exec(
    model(run, name)
      .requests.at(-1)
      ?.messages.find(({ role }) => role === "user")?.content ?? "",
  )?.[1];

test("stages go one after the other, each knows what those before it said, and the last one speaks", async () => {
  const run = staged({ a: ["A."], b: ["B."], c: [says("The ", "end.")] });
  const { events, result, tokens } = await run.run();
  expect(events.map(({ type }) => type)).toEqual(["step", "step", "token", "token", "done"]);
  expect(steps(events)).toEqual(["a: A.", "b: B."]);
  expect([tokens, result?.response]).toEqual(["The end.", "The end."]);
  expect(["a", "b", "c"].map((name) => instruction(run, name))).toEqual([
    "First: hi",
    "Then: A.",
    "c: A. and B.",
  ]);
  expect(result?.metadata).toMatchObject({ pattern: "pipeline", iterations: 3 });
  expect((await run.turns()).map(({ content }) => content)).toEqual(["hi", "The end."]);
});

test("each stage knows the conversation", async () => {
  const run = staged({ a: ["A."], b: ["B."], c: ["C."] });
  await run.run({ sessionId: "s" });
  await run.run({ sessionId: "s" });
  for (const name of ["a", "b", "c"]) {
    const [system, question, answer, query] = told(model(run, name));
    expect([system, question, answer]).toEqual(["system: You are staged.", "user: hi", "assistant: C."]);
    expect(query).toStartWith("user: hi\n\n<instruction>");
  }
});

test("a pipeline that declares no stages analyzes, processes and synthesizes", async () => {
  const run = staged({ analyze: ["A."], process: ["P."], synthesize: ["S."] }, { stages: [] });
  const { events, result } = await run.run();
  expect(steps(events)).toEqual(["analyze: A.", "process: P."]);
  expect(result?.response).toBe("S.");
  expect(instruction(run, "process")).toContain("A.");
  expect(instruction(run, "synthesize")).toContain("P.");
});

test("one stage alone speaks", async () => {
  const run = staged({ a: [asks("Hm.", "one"), "A."] }, { stages: abc.slice(0, 1), tools: one });
  const { events, tokens } = await run.run();
  expect([steps(events), tokens]).toEqual([[], "Hm.\n\nA."]);
});

test("a stage whose instruction is empty hears the user alone", async () => {
  const run = staged(
    { a: ["A."], b: ["B."] },
    { stages: [{ name: "a", prompt: "{{ nothing }}\n" }, ...abc.slice(1, 2)] },
  );
  await run.run();
  expect(told(model(run, "a"))).toEqual(["system: You are staged.", "user: hi"]);
});

test("each stage calls tools until it has a result; calls with one id are kept apart", async () => {
  const run = staged(
    { a: [asks("", "one"), "A."], b: ["B."], c: [asks("So: ", "one"), "C."] },
    { tools: one },
  );
  const { events, tokens } = await run.run();
  const seen = events.flatMap((event) => {
    if (event.type === "tool_call" || event.type === "tool_result") return `${event.type} ${event.id}`;
    return event.type === "step" ? event.name : [];
  });
  expect(seen).toEqual([
    "tool_call 1.c0",
    "tool_result 1.c0",
    "a",
    "b",
    "tool_call 3.c0",
    "tool_result 3.c0",
  ]);
  expect(tokens).toBe("So: C.");
  expect(spanTree(run.traces[0])).toEqual([
    "step a",
    "  llm.complete stage:a",
    "  tool.call one",
    "  llm.complete stage:a",
    "step b",
    "  llm.complete stage:b",
    "step c",
    "  llm.complete stage:c",
    "  tool.call one",
    "  llm.complete stage:c",
  ]);
});

describe("the limit of model calls", () => {
  const greedy: ScriptedCall = async function* ({ toolChoice }) {
    yield* toolChoice === "auto" ? asks("", "one") : says("So.");
  };
  const table: [iterations: number, shares: number[]][] = [
    [3, [1, 1, 1]],
    [4, [2, 1, 1]],
    [5, [2, 2, 1]],
    [10, [4, 3, 3]],
  ];
  test.each(table)("of %i is shared by the stages", async (iterations, shares) => {
    const run = staged({ a: [greedy], b: [greedy], c: [greedy] }, { iterations, tools: one });
    const { result } = await run.run();
    expect(["a", "b", "c"].map((name) => model(run, name).requests.length)).toEqual(shares);
    expect(result).toMatchObject({ response: "So.", metadata: { iterations } });
  });

  test("what a stage leaves goes to the next", async () => {
    const run = staged({ a: ["A."], b: [greedy], c: ["C."] }, { iterations: 6, tools: one });
    await run.run();
    expect(model(run, "b").requests).toHaveLength(3);
  });

  test("smaller than the number of stages is 422 before any call", async () => {
    const run = staged({ a: ["A."], b: ["B."], c: ["C."] });
    const { thrown } = await run.run({ limits: { iterations: 2 } });
    expect(thrown).toMatchObject({
      code: "max_iterations",
      status: 422,
      message: "Agent staged has 3 stages, and each needs a model call: 2 are allowed.",
    });
    expect(run.traces[0]?.spans.filter(({ name }) => name === "llm.complete")).toEqual([]);
  });

  test.each(["a", "b", "c"])("ends the run when stage %s has no result within its share", async (stuck) => {
    const scripts = { a: ["A."], b: ["B."], c: ["C."], [stuck]: [asks("", "one")] };
    const run = staged(scripts, { iterations: 6, tools: one });
    const { thrown, events } = await run.run();
    expect(thrown).toMatchObject({ code: "max_iterations", status: 422 });
    expect(steps(events)).toEqual(["a: A.", "b: B."].slice(0, "abc".indexOf(stuck)));
    expect(spanTree(run.traces[0]).filter((line) => line.endsWith("!"))).toEqual([`step ${stuck} !`]);
    expect(await run.turns()).toEqual([]);
  });
});

test("a stage that says nothing, without tools, is the provider's failure", async () => {
  const run = staged({ a: ["A."], b: [[endOfAnswer]], c: ["C."] });
  expect((await run.run()).thrown).toMatchObject({ code: "provider_failed" });
});

test("an instruction that can't be rendered ends the run with 422", async () => {
  const run = staged(
    { a: ["A."], b: ["B."] },
    { stages: [...abc.slice(0, 1), { name: "b", prompt: "{{ 1 // 0 }}" }] },
  );
  const { thrown, events } = await run.run();
  expect(thrown).toMatchObject({ code: "template_failed", status: 422 });
  expect(steps(events)).toEqual(["a: A."]);
});

test("what stages say is data for the next template, never a template itself", async () => {
  const run = staged({ a: ["{{ 7 * 7 }}{% raw %}"], b: ["B."], c: ["C."] });
  await run.run();
  expect(instruction(run, "b")).toBe("Then: {{ 7 * 7 }}{% raw %}");
});

test("texts about stages pass the output guardrails", async () => {
  const run = staged(
    { a: ["From a@example.com."], b: ["B."], c: ["C."] },
    { spec: { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } } },
  );
  expect(steps((await run.run()).events)).toEqual(["a: From [EMAIL].", "b: B."]);
});
