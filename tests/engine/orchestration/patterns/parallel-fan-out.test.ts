import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ModelEvent, ModelRequest } from "../../../../src/engine/models/model.ts";
import { ModelFailure } from "../../../../src/engine/models/model-failure.ts";
import type { RunEvent } from "../../../../src/engine/run-state/run-event.ts";
import { settle } from "../../../support/fake-clock.ts";
import { endOfAnswer, type ScriptedCall } from "../../../support/scripted-model.ts";
import { spanTree } from "../../../support/span-tree.ts";
import {
  asks,
  play,
  type Stage,
  type StageOptions,
  says,
  stage,
  told,
  untilAbort,
} from "../../../support/staged-run.ts";

const one: StageOptions["tools"] = [{ name: "one", execute: async () => ({ success: true, data: 1 }) }];
const tasks = (count: number) => Array.from({ length: count }, (_, at) => `task ${at + 1}`);
const split = (count: number) => JSON.stringify({ subtasks: tasks(count) });

/** The scripted calls of each task's worker. */
type Work = Record<string, readonly ScriptedCall[]>;

const taskIn = ({ messages }: ModelRequest) =>
  /<task>\n(.*)\n<\/task>/.exec(messages.findLast(({ role }) => role === "user")?.content ?? "")?.[1] ??
  "all";

/** One model for all workers. Each call plays the next step of its task's script; the last step repeats. */
function workers(work: Work): ScriptedCall {
  const made = new Map<string, number>();
  return async function* (request, signal): AsyncGenerator<ModelEvent> {
    const task = taskIn(request);
    const script = work[task] ?? [`Did ${task}.`];
    const number = made.get(task) ?? 0;
    made.set(task, number + 1);
    const call = script[Math.min(number, script.length - 1)] ?? "";
    if (typeof call === "function") yield* call(request, signal);
    else if (call instanceof Error) throw call;
    else if (typeof call === "string") yield* says(call);
    else yield* call as readonly ModelEvent[];
  };
}

interface Cast {
  planner?: readonly ScriptedCall[];
  work?: Work;
  synthesizer?: readonly ScriptedCall[];
}

function fanning(cast: Cast = {}, options: StageOptions & { iterations?: number } = {}): Stage {
  const { planner = [split(2)], work = {}, synthesizer = ["Done."] } = cast;
  const { iterations = 10, spec, ...others } = options;
  return stage({
    ...others,
    roles: { planner, worker: [workers(work)], synthesizer },
    spec: { ...spec, orchestration: { pattern: "parallel_fan_out", max_iterations: iterations } },
  });
}

const model = (run: Stage, role: string) => run.modelOf(`staged/${role}`);
const steps = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "step" ? `${event.name}: ${event.content}` : []));
const synthesis = (run: Stage) => model(run, "synthesizer").requests.at(-1)?.messages.at(-1)?.content ?? "";

/** Calls that wait until the test opens their gate, by task. */
function gated(names: readonly string[]) {
  const gates = new Map(names.map((name) => [name, Promise.withResolvers<void>()]));
  const work: Work = Object.fromEntries(
    names.map((name) => [
      name,
      [
        async function* (_: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
          await Promise.race([gates.get(name)?.promise, untilAbort(signal)]);
          yield* says(`Did ${name}.`);
        },
      ],
    ]),
  );
  return { work, open: (name: string) => gates.get(name)?.resolve() };
}

test("the parts run at once, are reported as they end, and are answered in their order", async () => {
  const { work, open } = gated(tasks(3));
  const run = fanning({ planner: [split(3)], work, synthesizer: [says("All ", "done.")] });
  const playing = run.run();
  await settle();
  expect(run.openAnswers()).toBe(3);
  for (const name of ["task 2", "task 3", "task 1"]) {
    open(name);
    await settle();
  }
  const { events, result, tokens } = await playing;
  expect(steps(events)).toEqual([
    "plan: 1. task 1\n2. task 2\n3. task 3",
    "subtask 2: Did task 2.",
    "subtask 3: Did task 3.",
    "subtask 1: Did task 1.",
  ]);
  expect(synthesis(run)).toMatch(/Did task 1\.[\s\S]*Did task 2\.[\s\S]*Did task 3\./);
  expect([tokens, result?.response]).toEqual(["All done.", "All done."]);
  expect(result?.metadata).toMatchObject({ pattern: "parallel_fan_out", iterations: 5 });
  expect(result?.usage.total_tokens).toBe(5 * 15);
});

test("each part knows the conversation and its own task, and nothing of what the others do", async () => {
  const run = fanning({ work: { "task 1": [asks("Hm.", "one"), "Did it."] } }, { tools: one });
  await run.run({ query: "Why?" });
  const { requests } = model(run, "worker");
  expect(requests.map(taskIn).sort()).toEqual(["task 1", "task 1", "task 2"]);
  for (const request of requests) {
    expect(request.messages[1]?.content).toStartWith("Why?\n\n<instruction>\n");
    expect(request.messages[1]?.content).toContain("1. task 1\n2. task 2");
    expect(JSON.stringify(request.messages)).not.toContain("Did");
  }
  const shapes = requests.map(({ messages }) => messages.map(({ role }) => role).join(" ")).sort();
  expect(shapes).toEqual(["system user", "system user", "system user assistant tool"]);
  const [planned] = model(run, "planner").requests;
  expect([planned?.toolChoice, planned?.messages.at(-1)?.content.includes("2 to 4 parts")]).toEqual([
    "none",
    true,
  ]);
  expect(model(run, "synthesizer").requests[0]?.tools).toEqual([]);
});

test("calls of different parts have different ids, and each part has its spans", async () => {
  const work = { "task 1": [asks("", "one"), "A"], "task 2": [asks("", "one", "one"), "B"] };
  const run = fanning({ work }, { tools: one });
  const { events, result } = await run.run();
  const ids = (type: string) =>
    events.flatMap((event) => (event.type === type && "id" in event ? event.id : [])).sort();
  expect(ids("tool_call")).toEqual(["1.c0", "2.c0", "2.c1"]);
  expect(ids("tool_result")).toEqual(["1.c0", "2.c0", "2.c1"]);
  expect(result?.tool_calls).toHaveLength(3);
  expect(spanTree(run.traces[0])).toEqual([
    "llm.complete planner",
    "step subtask 1",
    "  llm.complete worker",
    "  tool.call one",
    "  llm.complete worker",
    "step subtask 2",
    "  llm.complete worker",
    "  tool.call one",
    "  tool.call one",
    "  llm.complete worker",
    "llm.complete synthesizer",
  ]);
});

test("parts may let other agents work, each within its own share", async () => {
  const asking = asks("", { name: "helper", input: { query: "Help." } });
  const run = fanning(
    { work: { "task 1": [asking, "A"], "task 2": [asking, "B"] } },
    {
      agents: { helper: { calls: ["Helped."] } },
      spec: { tools: [{ name: "helper", type: "agent", config: { agent: "helper" } }] },
    },
  );
  const { result } = await run.run({ limits: { totalTokens: 30_000 } });
  expect(result?.response).toBe("Done.");
  expect(result?.tool_calls).toMatchObject([{ output: { success: true } }, { output: { success: true } }]);
  expect(result?.usage.total_tokens).toBe(8 * 15);
  for (const { answerTokensMax } of run.modelOf("helper").requests)
    expect(answerTokensMax).toBeLessThan(10_000);
  expect(spanTree(run.traces[0]).filter((line) => line.includes("agent.run"))).toEqual([
    "    agent.run helper",
    "    agent.run helper",
  ]);
});

test("guarded arguments stay with their call, though calls of all parts have one id", async () => {
  const asking = (mail: string) => [asks("", { id: "same", name: "one", input: { mail } }), "ok"];
  const work = { "task 1": asking("a@example.com"), "task 2": asking("plain") };
  const run = fanning(
    { work },
    { tools: one, spec: { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } } },
  );
  const { result } = await run.run();
  expect(result?.tool_calls.map(({ input }) => input.mail).sort()).toEqual(["[EMAIL]", "plain"]);
});

describe("the number of parts", () => {
  const table: [name: string, planner: ScriptedCall, expected: string[]][] = [
    ["is four at most", split(6), tasks(4)],
    ["may be one", split(1), tasks(1)],
    ["is one without a plan: the request itself", "No.", ["all"]],
    ["is one when the plan is empty", '{"subtasks": []}', ["all"]],
    ["is one when the planner says nothing", [endOfAnswer], ["all"]],
  ];
  test.each(table)("%s", async (_, planner, expected) => {
    const run = fanning({ planner: [planner] });
    const { result } = await run.run();
    expect(model(run, "worker").requests.map(taskIn)).toEqual(expected);
    expect(result?.response).toBe("Done.");
  });

  test("one that is the request has no further instruction", async () => {
    const run = fanning({ planner: ["No."] });
    const { events } = await run.run({ query: "Why?" });
    expect(told(model(run, "worker"))).toEqual(["system: You are staged.", "user: Why?"]);
    expect(steps(events)).toEqual(["plan: 1. Why?", "subtask 1: Did all."]);
  });
});

describe("the limit of model calls", () => {
  const greedy: ScriptedCall = async function* ({ toolChoice }) {
    yield* toolChoice === "auto" ? asks("", "one") : says("Did it.");
  };
  const table: [iterations: number, parts: number, shares: number[]][] = [
    [10, 2, [4, 4]],
    [10, 3, [3, 3, 2]],
    [10, 4, [2, 2, 2, 2]],
    [6, 4, [1, 1, 1, 1]],
    [4, 2, [1, 1]],
  ];
  test.each(table)(
    "of %i is shared by %i parts, and one is kept for the answer",
    async (iterations, parts, shares) => {
      const work = Object.fromEntries(tasks(parts).map((task) => [task, [greedy]]));
      const run = fanning({ planner: [split(parts)], work }, { iterations, tools: one });
      const { result } = await run.run();
      const made = tasks(parts).map(
        (task) => model(run, "worker").requests.filter((request) => taskIn(request) === task).length,
      );
      expect(made).toEqual(shares);
      expect(result).toMatchObject({ response: "Done.", metadata: { iterations } });
    },
  );

  test("with room for fewer parts, the last takes in the rest", async () => {
    const run = fanning({ planner: [split(4)] }, { iterations: 4 });
    expect(steps((await run.run()).events)[0]).toBe("plan: 1. task 1\n2. task 2\ntask 3\ntask 4");
  });

  test("with too few calls to split, the agent answers directly", async () => {
    const run = fanning({}, { iterations: 2 });
    const { result, events } = await run.run();
    expect([result?.response, steps(events), result?.metadata.iterations]).toEqual(["Done.", [], 1]);
  });

  test("a part that uses up its share without a result reports that it has none", async () => {
    const run = fanning({ work: { "task 2": [asks("", "one")] } }, { iterations: 6, tools: one });
    const { result, events } = await run.run();
    expect(steps(events).sort()[2]).toBe("subtask 2: No result: its model calls were used up.");
    expect(result?.response).toBe("Done.");
    expect(synthesis(run)).toContain('<result part="2" failed="true">');
  });

  test("parts that all do end the run with 422", async () => {
    const run = fanning(
      { work: { "task 1": [asks("", "one")], "task 2": [asks("", "one")] } },
      { tools: one },
    );
    expect((await run.run()).thrown).toMatchObject({ code: "max_iterations", status: 422 });
    expect(model(run, "synthesizer").requests).toEqual([]);
  });
});

describe("a part that fails", () => {
  const failing = (text: string) => new ModelFailure("unusable", text);

  test("does not lose the others, and the synthesizer gets its error", async () => {
    const run = fanning({ planner: [split(3)], work: { "task 2": [failing("It broke.")] } });
    const { result, events } = await run.run();
    expect(result?.response).toBe("Done.");
    const [failed] = steps(events).filter((step) => step.startsWith("subtask 2"));
    expect(failed).toMatch(/^subtask 2: Failed \(provider_failed\): .*It broke\./);
    expect(synthesis(run)).toMatch(/<result part="2" failed="true">\ntask 2\n\nFailed[\s\S]*It broke/);
    expect(synthesis(run)).toContain("Did task 3.");
    expect(spanTree(run.traces[0]).filter((line) => line.endsWith("!"))).toEqual([
      "step subtask 2 !",
      "  llm.complete worker !",
    ]);
    expect(run.traces[0]?.status).toBe("OK");
  });

  test("by an internal error hides the text from callers and logs it", async () => {
    const fault = new TypeError("secret");
    const run = fanning({ work: { "task 1": [fault] } });
    const { result, events } = await run.run();
    expect(result?.response).toBe("Done.");
    expect(JSON.stringify([events, synthesis(run)])).not.toContain("secret");
    expect(run.logged.find(({ event }) => event === "subtask.failed")?.fields).toMatchObject({ err: fault });
  });

  test("ends the run when all do, with the first failure", async () => {
    const gate = Promise.withResolvers<void>();
    const late: ScriptedCall = async function* () {
      yield { type: "text", text: "Almost" };
      await gate.promise;
      throw failing("Second.");
    };
    const run = fanning({ work: { "task 1": [late], "task 2": [failing("First.")] } });
    const playing = run.run();
    await settle();
    gate.resolve();
    const { thrown, events } = await playing;
    expect(thrown).toMatchObject({ code: "provider_failed", message: expect.stringContaining("First.") });
    expect(steps(events)).toHaveLength(3);
    expect(model(run, "synthesizer").requests).toEqual([]);
  });
});

describe("limits of tokens are shared out before the parts begin", () => {
  test("so that none takes what another or the answer needs", async () => {
    const ceilings: (number | undefined)[] = [];
    const worker: ScriptedCall = async function* ({ answerTokensMax }) {
      ceilings.push(answerTokensMax);
      yield* says("Did it.");
    };
    const run = fanning({
      planner: [split(3)],
      work: Object.fromEntries(tasks(3).map((task) => [task, [worker]])),
    });
    const { result } = await run.run({ limits: { totalTokens: 12_000 } });
    expect(result?.response).toBe("Done.");
    for (const ceiling of ceilings) expect(ceiling).toBeWithin(2000, 3000);
    expect(ceilings).toHaveLength(3);
  });

  test("and none is passed, wherever it is reached", async () => {
    const outcomes = new Set<string>();
    for (let totalTokens = 300; totalTokens <= 4000; totalTokens += 50) {
      const run = fanning();
      const { result, thrown } = await run.run({ limits: { totalTokens } });
      outcomes.add(result ? "answered" : String((thrown as { code?: string }).code));
      expect(run.usage.length * 15).toBeLessThanOrEqual(totalTokens);
      expect(run.openAnswers()).toBe(0);
    }
    expect([...outcomes]).toEqual(["budget_exceeded", "answered"]);
  });
});

describe("events of the parts", () => {
  const piece = fc.record({
    tools: fc.array(fc.constantFrom("one", "two"), { maxLength: 3 }),
    waits: fc.integer({ min: 0, max: 3 }),
  });
  const scripts = fc.array(fc.array(piece, { maxLength: 3 }), { minLength: 2, maxLength: 4 });

  test("keep each part's order; tokens joined are the answer", async () => {
    await fc.assert(
      fc.asyncProperty(
        scripts,
        fc.array(fc.constantFrom("a", " ", "é😀", "\n"), { minLength: 1 }),
        async (given, answer) => {
          const pause = async (turns: number) => {
            for (let turn = 0; turn < turns; turn++) await settle();
          };
          const work: Work = Object.fromEntries(
            given.map((pieces, part) => [
              `task ${part + 1}`,
              [
                ...pieces.map(
                  ({ tools, waits }, turn): ScriptedCall =>
                    async function* () {
                      await pause(waits);
                      yield* tools.length === 0
                        ? says(`Part ${part + 1}.`)
                        : asks("", ...tools.map((name, at) => ({ id: `t${turn}.${at}`, name })));
                    },
                ),
                `Part ${part + 1}.`,
              ],
            ]),
          );
          const slow = {
            name: "two",
            execute: async () => {
              await pause(2);
              return { success: true as const, data: 2 };
            },
          };
          const run = fanning(
            { planner: [split(given.length)], work, synthesizer: [says(...answer)] },
            { iterations: 30, tools: [...(one ?? []), slow] },
          );
          const { events, tokens, result, thrown } = await run.run();
          expect(thrown).toBeUndefined();
          expect(tokens).toBe(answer.join(""));
          expect(result?.response).toBe(tokens);
          for (const [index, pieces] of given.entries()) {
            const part = index + 1;
            const seen = events.flatMap((event) => {
              if (event.type === "step") return event.name === `subtask ${part}` ? "step" : [];
              if (event.type !== "tool_call" && event.type !== "tool_result") return [];
              return event.id.startsWith(`${part}.`) ? `${event.type} ${event.id}` : [];
            });
            const turns = pieces.slice(0, pieces.findIndex(({ tools }) => tools.length === 0) >>> 0);
            const expected = turns.flatMap(({ tools }, turn) =>
              ["tool_call", "tool_result"].flatMap((type) =>
                tools.map((_, at) => `${type} ${part}.t${turn}.${at}`),
              ),
            );
            expect(seen).toEqual([...expected, "step"]);
          }
          expect(run.openAnswers()).toBe(0);
        },
      ),
      { numRuns: 60, seed: 20_261_121 },
    );
  });
});

describe("nothing stays open", () => {
  test("when the reader leaves after any event", async () => {
    for (let read = 1; ; read++) {
      const heard: AbortSignal[] = [];
      const deaf = {
        name: "deaf",
        execute: (_: unknown, { signal }: { signal: AbortSignal }) => {
          heard.push(signal);
          return new Promise<never>(() => {});
        },
      };
      const work: Work = {
        "task 1": [asks("", "one"), "Did it."],
        "task 2": [asks("", "deaf")],
        "task 3": [
          async function* (_, signal) {
            yield await untilAbort(signal);
          },
        ],
      };
      const run = fanning({ planner: [split(3)], work }, { tools: [...(one ?? []), deaf] });
      const events = run.start();
      let got = 0;
      let isStuck = false;
      while (got < read && !isStuck) {
        const next = events.next().then(() => got++);
        await settle();
        if (got < read) isStuck = await Promise.race([next.then(() => false), settle().then(() => true)]);
      }
      if (isStuck) {
        expect(read).toBeGreaterThan(4);
        await run.clock.advance(120_000);
        break;
      }
      await events.return();
      await settle();
      expect(run.finished.map(({ status }) => status)).toEqual(["cancelled"]);
      expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
      expect(heard.every(({ aborted }) => aborted)).toBeTrue();
    }
  });

  test("when the run is cancelled or its time is up while the parts work", async () => {
    for (const end of ["cancelled", "late"]) {
      const { work } = gated(tasks(4));
      const run = fanning({ planner: [split(4)], work });
      const caller = new AbortController();
      const playing = play(run.start({ cancelledBy: [caller.signal] }));
      await settle();
      expect(run.openAnswers()).toBe(4);
      if (end === "late") await run.clock.advance(120_000);
      else caller.abort();
      const { thrown, events } = await playing;
      expect(thrown).toMatchObject({ code: end === "late" ? "orchestration_timeout" : "run_cancelled" });
      expect(steps(events)).toHaveLength(1);
      expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
      expect(run.traces[0]?.spans.filter(({ status }) => status === "OK").map(({ name }) => name)).toEqual([
        "memory_build",
        "prompt_render",
        "llm.complete",
      ]);
    }
  });
});
