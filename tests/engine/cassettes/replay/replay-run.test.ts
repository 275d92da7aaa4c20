import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Cassette } from "../../../../src/contracts/daemon/cassettes/cassette-file.ts";
import { replayRun } from "../../../../src/engine/cassettes/replay/replay-run.ts";
import { ModelFailure } from "../../../../src/engine/models/model-failure.ts";
import type { Allowance } from "../../../../src/engine/spending/allowance.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { recorded, replayed, replayStage, rerecorded } from "../../../support/cassettes.ts";
import { settle } from "../../../support/fake-clock.ts";
import {
  asks,
  memoryConversations,
  play,
  type Stage,
  type StageOptions,
  says,
  stage,
  untilAbort,
} from "../../../support/staged-run.ts";

const look = {
  name: "look",
  execute: async ({ at }: Record<string, unknown>) => ({
    success: true as const,
    data: { at, seen: "blue" },
  }),
};

const asking: StageOptions = {
  calls: [
    asks(
      "Let me see.",
      { id: "c1", name: "look", input: { at: "sky" } },
      { id: "c2", name: "look", input: { at: "sea" } },
    ),
    says("It ", "is ", "blue."),
  ],
  tools: [look],
};

const agentTool = (name: string, agent: string, more: object = {}) => ({
  name,
  type: "agent",
  config: { agent },
  ...more,
});

/** Runs that cover every kind of answer from outside. */
const runs: Record<string, StageOptions & { request?: Parameters<Stage["run"]>[0] }> = {
  "react, tools at once": asking,
  "whole, not streamed": { ...asking, request: { stream: false } },
  "a model that fails": { calls: [new ModelFailure("unreachable", "lab is down", { retryAfterSeconds: 3 })] },
  "an answer that breaks off": { calls: [{ text: "Half an ", cutBy: new ModelFailure("unusable", "cut") }] },
  "a fallback": { calls: [new ModelFailure("unreachable", "lab is down")], fallback: ["From the spare."] },
  "tools that fail, throw, are unknown, or get no JSON": {
    calls: [
      asks(
        "",
        { id: "c1", name: "fails" },
        { id: "c2", name: "throws" },
        { id: "c3", name: "unheard" },
        { id: "c4", name: "fails", unparsable: "{" },
      ),
      "Well.",
    ],
    tools: [
      { name: "fails", execute: async () => ({ success: false, error: "no" }) },
      { name: "throws", execute: () => Promise.reject(new Error("boom")) },
    ],
  },
  "a guardrail that blocks": {
    spec: { guardrails: { input: [{ type: "max_length", max_chars: 1, action: "block" }] } },
  },
  "guardrails on both sides, in pieces": {
    calls: [says("Write to ann@exam", "ple.com or call ", "415-555-26", "71.")],
    spec: {
      guardrails: {
        input: [{ type: "pii_detection", action: "redact" }],
        output: [{ type: "pii_detection", action: "redact" }],
      },
    },
    request: { query: "I am bob@example.com, card 4111 1111 1111 1111." },
  },
  "no calls left": {
    calls: [asks("", "look")],
    tools: [look],
    spec: { orchestration: { max_iterations: 2 } },
  },
  "a limit of tokens": {
    calls: [asks("", "look")],
    tools: [look],
    request: { limits: { totalTokens: 400 } },
  },
  "the caller's own history and parameters": {
    ...asking,
    request: {
      history: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi." },
      ],
      parameters: { temperature: 0.5 },
    },
  },
  "prompts of date, session and context": {
    spec: {
      prompts: {
        system: "It is {{ current_date }} in {{ session_id }} for {{ customer }}.",
        context: "Known: {{ context.customer }}",
      },
    },
    request: { context: { customer: "ACME" }, sessionId: "s-1" },
  },
  "an agent that works for another": {
    calls: [asks("", { name: "ask", input: { query: "why?" } }), "Because."],
    spec: { tools: [agentTool("ask", "helper")] },
    agents: {
      helper: { calls: [asks("", { name: "look", input: { at: "it" } }), "So it is."], tools: [look] },
    },
  },
  "agents that work at once, each with a tool": {
    calls: [
      asks(
        "",
        { id: "a", name: "ask", input: { query: "one" } },
        { id: "b", name: "ask", input: { query: "two" } },
        { id: "c", name: "other", input: { query: "three" } },
      ),
      "All three.",
    ],
    spec: { tools: [agentTool("ask", "helper"), agentTool("other", "second")] },
    agents: { helper: { calls: [asks("", "look"), "Seen."], tools: [look] }, second: { calls: ["Third."] } },
  },
  "an agent that is not there": {
    calls: [asks("", { name: "ask", input: { query: "why?" } }), "Nobody knows."],
    spec: { tools: [agentTool("ask", "nobody")] },
  },
  "an agent of its own kind that fails": {
    calls: [asks("", { name: "ask", input: { query: "why?" } }), "It failed."],
    spec: { tools: [agentTool("ask", "helper")] },
    agents: { helper: { calls: [new ModelFailure("content_refused", "refused")] } },
  },
  "a tool that only proposes": {
    calls: [asks("", { name: "ask", input: { query: "why?" } }), "Proposed."],
    spec: { tools: [agentTool("ask", "helper", { mode: "propose" })] },
    agents: { helper: {} },
  },
  "a chain with a retry that waits": {
    calls: ["First."],
    spec: {
      chain: {
        on_complete: [{ agent: "next", retry: { max_attempts: 3, backoff: 60 } }],
      },
    },
    agents: { next: { calls: [new ModelFailure("unreachable", "down"), "Second."] } },
  },
  "a tool that asks the agent's own model": {
    calls: [
      asks("", { id: "s", name: "text_summarize", input: { text: "long ".repeat(200), max_length: 100 } }),
      "It is long.",
      "In short: long.",
    ],
    spec: { tools: [{ name: "text_summarize", type: "builtin" }] },
  },
  "a tool that somebody would have to approve": {
    calls: [asks("", { id: "d", name: "datetime_now" }), "Nobody was asked."],
    spec: { tools: [{ name: "datetime_now", type: "builtin", requires_approval: true }] },
  },
  "a plan and its steps": {
    roles: { planner: ['{"steps": ["one", "two"]}'], worker: ["Done."], synthesizer: ["All done."] },
    spec: { orchestration: { pattern: "plan_and_execute" } },
  },
  "a shape of the answer": {
    calls: ['{"colour": "blue"}'],
    spec: { output_schema: { colour: "string" } },
  },
};

/** Advances the clock while a run only waits. */
async function passing<T>({ clock }: Stage, work: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (let turn = 0; turn < 30 && !isOver; turn++) await settle();
    if (!isOver) await clock.advance(10_000);
  }
  return ended;
}

test.each(Object.keys(runs))("replays %s", async (name) => {
  const { request = {}, ...options } = runs[name] ?? {};
  const staged = stage(options);
  const { cassette, played } = await passing(staged, recorded(staged, request));
  const report = await replayed(cassette);
  expect(report.divergence).toBeUndefined();
  expect(report).toMatchObject({
    identical: true,
    warnings: [],
    replayed: {
      events: played.events.length,
      model_calls: cassette.entries.filter(({ kind }) => kind === "model").length,
    },
  });
  const again = await rerecorded(cassette);
  // The order between parallel runs is not fixed.
  expect(again.cassette.entries.map(({ key }) => key).sort()).toEqual(
    cassette.entries.map(({ key }) => key).sort(),
  );
  expect(again.cassette.events.filter(({ type }) => type !== "done")).toEqual(
    cassette.events.filter(({ type }) => type !== "done"),
  );
  expect(await replayed(again.cassette)).toMatchObject({ identical: true });
});

test("an earlier conversation is part of the recording", async () => {
  const memory = memoryConversations();
  await stage({ memory, calls: ["Nice to meet you, Ann."] }).run({ query: "I am Ann." });
  const { cassette } = await recorded(stage({ memory, calls: ["Ann."] }), { query: "Who am I?" });
  expect(cassette.entries.find(({ kind }) => kind === "model")?.request).toMatchObject({
    messages: [{}, { content: "I am Ann." }, { content: "Nice to meet you, Ann." }, { content: "Who am I?" }],
  });
  expect(await replayed(cassette)).toMatchObject({ identical: true });
});

test("what a budget said is replayed, its refusal too", async () => {
  const calls: number[] = [];
  const twice: Allowance = {
    hold({ inputTokensMax }) {
      calls.push(inputTokensMax);
      if (calls.length > 2) throw new AppError("payment_required", "budget_exceeded", "Nothing is left.");
      return { answerTokensMax: 100 - calls.length, settle() {} };
    },
    split: (parts) => Array.from({ length: parts }, () => twice),
  };
  const { cassette, played } = await recorded(
    stage({ calls: [asks("", "look")], tools: [look], budgets: { staged: twice } }),
  );
  expect(played.thrown).toMatchObject({ code: "budget_exceeded" });
  expect(await replayed(cassette)).toMatchObject({ identical: true });
});

describe("runs that are stopped", () => {
  const hanging: StageOptions = {
    calls: [
      asks("First. ", "look"),
      async function* (_, signal) {
        yield { type: "text", text: "Then" };
        await untilAbort(signal);
      },
    ],
    tools: [look],
  };

  test("by their time", async () => {
    const staged = stage(hanging);
    const { cassette, played } = await passing(staged, recorded(staged));
    expect(played.thrown).toMatchObject({ code: "orchestration_timeout" });
    expect(cassette.summary).toMatchObject({ status: "stopped", error: "orchestration_timeout" });
    expect(await replayed(cassette)).toMatchObject({ identical: true, replayed: { model_calls: 2 } });
  });

  test("by the caller, while a tool is at work", async () => {
    const cancelling = new AbortController();
    const staged = stage({
      calls: [asks("", "slow")],
      tools: [
        {
          name: "slow",
          async execute(_, { signal }) {
            cancelling.abort();
            return untilAbort(signal);
          },
        },
      ],
    });
    const { cassette } = await recorded(staged, { cancelledBy: [cancelling.signal] });
    expect(cassette.summary.status).toBe("stopped");
    expect(cassette.events.map(({ type }) => type)).toEqual(["tool_call", "tool_result"]);
    expect(await replayed(cassette)).toMatchObject({ identical: true });
  });

  test("by a reader that leaves", async () => {
    const staged = stage(hanging);
    const { cassette, text } = await recorded(
      staged,
      {},
      {
        read: async (run) => {
          for await (const event of run) if (event.type === "tool_result") break;
          return play((async function* () {})());
        },
      },
    );
    expect(text).toContain('"left":true');
    expect(cassette.events.map(({ type }) => type)).toEqual(["token", "tool_call", "tool_result"]);
    expect(await replayed(cassette)).toMatchObject({ identical: true });
  });
});

describe("a replay that goes another way", () => {
  const edited = async (edit: (cassette: Cassette) => void) => {
    const { cassette } = await recorded(stage(asking), { query: "What colour is it?" });
    edit(cassette);
    return cassette;
  };
  const editTool = (cassette: Cassette) => {
    for (const entry of cassette.entries) {
      if (entry.kind === "tool") entry.answer.result = { success: true, data: { at: "sky", seen: "red" } };
    }
  };

  test("ends strictly at the first request that was not recorded, and says what differs in it", async () => {
    const report = await replayed(await edited(editTool));
    expect(report).toMatchObject({
      identical: false,
      replayed: { model_calls: 1, tool_calls: 2 },
      divergence: {
        at: "request",
        kind: "model",
        number: 2,
        agent: "staged",
        message: "Model call 2, of staged, is not the recorded one: messages[3].content differs.",
        difference: {
          path: "messages[3].content",
          character: 21,
          expected: '{"at":"sky","seen":"blue"}',
          got: '{"at":"sky","seen":"red"}',
        },
      },
    });
  });

  test("that is not strict continues with a warning, and its events differ", async () => {
    const report = await replayed(await edited(editTool), { strict: false });
    expect(report.warnings).toEqual([
      "Model call 2, of staged, is not the recorded one: messages[3].content differs. The next unused answer was taken.",
    ]);
    expect(report.divergence).toMatchObject({
      at: "event",
      number: 4,
      difference: { path: "output.data.seen" },
    });
  });

  test.each<[string, (cassette: Cassette) => void, object]>([
    [
      "another prompt",
      (cassette) => {
        const { manifest } = cassette.agents.staged ?? {};
        Object.assign(manifest?.spec as object, { prompts: { system: "Be brief.", templates: {} } });
      },
      { at: "request", number: 1, difference: { path: "messages[0].content" } },
    ],
    [
      "a tool that is described otherwise",
      (cassette) => Object.assign(cassette.agents.staged?.tools[0] ?? {}, { description: "Looks." }),
      { at: "request", number: 1, difference: { path: "tools[0].description", character: 1 } },
    ],
    [
      "another answer of the model",
      (cassette) => {
        const last = cassette.entries.findLast(({ kind }) => kind === "model");
        if (last?.kind === "model") last.answer.events[1] = { type: "text", text: "He " };
      },
      { at: "event", number: 7, difference: { path: "content", character: 1, expected: "It ", got: "He " } },
    ],
    [
      "an answer too few",
      (cassette) => void cassette.entries.splice(3, 1),
      { at: "request", number: 1, kind: "model" },
    ],
    [
      "an answer too many",
      (cassette) => {
        const tool = cassette.entries.find(({ kind }) => kind === "tool");
        if (tool) cassette.entries.push({ ...tool, seq: 99 });
      },
      { at: "unasked", kind: "tool" },
    ],
    [
      "an event more",
      (cassette) => void cassette.events.splice(1, 0, { type: "token", content: "!" }),
      { at: "event", number: 2, message: "Event 2 is tool_call, not token." },
    ],
    [
      "another ending",
      (cassette) => {
        cassette.outcome = { error: { kind: "internal", code: "internal", message: "Boom." } };
        cassette.events.pop();
      },
      { at: "outcome", message: "The run ended well. The recorded one failed (internal): Boom." },
    ],
    [
      "a result that was changed",
      (cassette) => {
        const done = cassette.events.at(-1);
        if (done) done.result = { ...(done.result as object), response: "Red." };
      },
      { at: "event", number: 10, difference: { path: "result.response" } },
    ],
  ])("notices %s", async (_, edit, divergence) => {
    expect(await replayed(await edited(edit))).toMatchObject({ identical: false, divergence });
  });

  test("a model that never ends does not keep it", async () => {
    const { cassette } = await recorded(stage(asking));
    const stopping = new AbortController();
    stopping.abort(new AppError("unavailable", "run_cancelled", "Enough."));
    await expect(
      replayRun(cassette, replayStage, { strict: true, signal: stopping.signal }),
    ).rejects.toMatchObject({
      code: "run_cancelled",
    });
  });
});

/**
 * Parts of a run's result that a comparison ignores, because a replay can't repeat them or they locate a recording. docs/cassettes.md lists
 * them.
 */
const ignoredOfResult = [
  "timing",
  "trace_id",
  "metadata.latency_ms",
  "chain.run_id",
  "chain.links[].duration_ms",
  "cassette",
  "cassette_error",
  "trace",
] as const;

test("the documentation lists what a comparison leaves out", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../../docs/cassettes.md")).text();
  for (const field of ignoredOfResult) expect(page).toContain(`\`${field}\``);
});
