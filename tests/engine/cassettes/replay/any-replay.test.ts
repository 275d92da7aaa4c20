import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ModelEvent, ModelRequest } from "../../../../src/engine/models/model.ts";
import { ModelFailure } from "../../../../src/engine/models/model-failure.ts";
import { patterns } from "../../../../src/engine/orchestration/patterns/registry.ts";
import type { RunEvent } from "../../../../src/engine/run-state/run-event.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { recorded, replayed, rerecorded } from "../../../support/cassettes.ts";
import { settle } from "../../../support/fake-clock.ts";
import { endOfAnswer, type ScriptedCall } from "../../../support/scripted-model.ts";
import {
  memoryConversations,
  type Played,
  play,
  type StageOptions,
  stage,
  untilAbort,
} from "../../../support/staged-run.ts";

/** One model call: its text and tool calls, and how it ends. */
const call = fc.record({
  pieces: fc.array(
    fc.constantFrom(
      "Hi",
      " ",
      "\n",
      "ann@exam",
      "ple.com",
      "é😀",
      " key: s3cr",
      "et-42 ",
      '{"subtasks": ["a", "b", "c"]}',
    ),
    { maxLength: 4 },
  ),
  tools: fc.array(fc.constantFrom("quick", "slow", "failing", "deaf", "unknown", "ask_helper", "ask_other"), {
    maxLength: 3,
  }),
  waits: fc.integer({ min: 0, max: 3 }),
  end: fc.constantFrom("end", "end", "end", "end", "end", "fails", "hangs"),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const script = fc.record({
  pattern: fc.constantFrom(...patterns.keys()),
  calls: fc.array(call, { minLength: 1, maxLength: 6 }),
  helper: fc.array(call, { minLength: 1, maxLength: 3 }),
  isGuarded: fc.boolean(),
  isChained: fc.constantFrom("no", "no", "sequential", "parallel"),
  stream: fc.boolean(),
  remembers: fc.boolean(),
  limits: fc.constantFrom({}, {}, { totalTokens: 900 }, { callTokens: 64 }, { iterations: 3 }),
  /** An event in between, and after how many events it happens. */
  event: fc.constantFrom("nothing", "nothing", "nothing", "cancelled", "late", "left"),
  after: fc.integer({ min: 1, max: 12 }),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await settle();
};

const tools: NonNullable<StageOptions["tools"]> = [
  {
    name: "quick",
    execute: async () => ({ success: true, data: { mail: "b@example.com", token: "t0k3n-of-tool" } }),
  },
  { name: "failing", execute: async () => ({ success: false, error: "no" }) },
  {
    name: "slow",
    async execute(input) {
      await turns(3);
      return { success: true, data: input };
    },
  },
  { name: "deaf", execute: () => new Promise(() => {}), timeoutMs: 10_000 },
];

let made = 0;

/** A guardrail may match a secret but not its placeholder, so with guardrails the model never says secrets. */
function played({ pieces, tools: wanted, waits, end }: Call, saysSecrets: boolean): ScriptedCall {
  return async function* (_: ModelRequest, signal): AsyncGenerator<ModelEvent> {
    await turns(waits);
    for (const text of pieces) if (saysSecrets || !text.includes("key")) yield { type: "text", text };
    if (end === "fails") throw new ModelFailure("unusable", "lab said nonsense");
    if (end === "hangs") await untilAbort(signal);
    for (const name of wanted) {
      made++;
      const input = name.startsWith("ask_") ? { query: `question ${made}` } : { number: made };
      yield { type: "tool_call", call: { id: `c${made}`, name, input } };
    }
    yield { ...endOfAnswer, finish: wanted.length > 0 ? "tool_calls" : "stop" };
  };
}

function staged({ pattern, calls, helper, isGuarded, isChained }: Script) {
  const memory = memoryConversations();
  const guards = [{ type: "pii_detection", action: "redact" }];
  const agentTool = (name: string, agent: string) => ({ name, type: "agent", config: { agent } });
  const helping = { calls: helper.map((one) => played(one, !isGuarded)), tools };
  return stage({
    memory,
    calls: calls.map((one) => played(one, !isGuarded)),
    tools,
    spec: {
      prompts: { system: "It is {{ current_date }}; {{ session_id }}.", context: "{{ context.note }}" },
      orchestration: {
        pattern,
        max_iterations: 8,
        ...(pattern === "pipeline"
          ? {
              stages: [
                { name: "first", prompt: "Do {{ user_query }}." },
                { name: "second", prompt: "Then {{ previous }}." },
              ],
            }
          : {}),
      },
      tools: [agentTool("ask_helper", "helper"), agentTool("ask_other", "other")],
      ...(isGuarded ? { guardrails: { input: guards, output: guards } } : {}),
      ...(isChained === "no"
        ? {}
        : {
            chain: {
              mode: isChained,
              on_complete: [
                { agent: "helper", retry: { max_attempts: 2, backoff: 5 }, on_error: "continue" },
                { agent: "other", on_error: "continue" },
              ],
            },
          }),
    },
    agents: { helper: helping, other: { ...helping, spec: { tools: [agentTool("ask_helper", "helper")] } } },
  });
}

/** Reads a run; advances its time, cancels it or leaves it as the script says, and advances the time if it hangs. */
function reader({ event, after }: Script, advance: (ms: number) => Promise<void>, cancel: () => void) {
  return async (run: AsyncIterable<RunEvent>): Promise<Played> => {
    let isOver = false;
    async function* read(): AsyncGenerator<RunEvent> {
      let count = 0;
      for await (const told of run) {
        yield told;
        count++;
        if (count !== after) continue;
        if (event === "left") return;
        if (event === "cancelled") cancel();
        if (event === "late") await advance(200_000);
      }
    }
    const time = async () => {
      while (!isOver) {
        await turns(30);
        if (!isOver) await advance(5_000);
      }
    };
    const moving = time();
    const result = await play(read()).finally(() => {
      isOver = true;
    });
    await moving;
    return result;
  };
}

test("every recorded run is replayed as it went, and so is the recording of its replay", async () => {
  await fc.assert(
    fc.asyncProperty(script, async (plan) => {
      const stageOf = staged(plan);
      const cancelling = new AbortController();
      if (plan.remembers) await stageOf.run({ query: "Before.", cancelledBy: [AbortSignal.abort()] });
      const { cassette, text } = await recorded(
        stageOf,
        {
          query: "What is it, ann@example.com?",
          context: { note: "A note.", api_key: "k3y-in-context" },
          stream: plan.stream,
          limits: plan.limits,
          cancelledBy: [cancelling.signal],
        },
        {
          read: reader(
            plan,
            (ms) => stageOf.clock.advance(ms),
            () => cancelling.abort(new AppError("unavailable", "run_cancelled", "Stopped.")),
          ),
        },
      );
      for (const secret of ["s3cret-42", "t0k3n-of-tool", "k3y-in-context"])
        expect(text).not.toContain(secret);
      expect(await replayed(cassette)).toMatchObject({ identical: true, warnings: [] });
      const again = await rerecorded(cassette);
      expect(again.report).toMatchObject({ identical: true });
      expect(await replayed(again.cassette)).toMatchObject({ identical: true });
    }),
    { numRuns: 40 },
  );
});
