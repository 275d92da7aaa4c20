import { describe, expect, test } from "bun:test";
import type { ConversationStore } from "../../../src/engine/memory/conversation.ts";
import type { ModelFailureClass } from "../../../src/engine/models/judge-call.ts";
import { ModelFailure } from "../../../src/engine/models/model-failure.ts";
import type { RunEvent } from "../../../src/engine/run-state/run-event.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { settle } from "../../support/fake-clock.ts";
import {
  asks,
  memoryConversations,
  play,
  type Stage,
  type StageOptions,
  says,
  stage,
  untilAbort,
} from "../../support/staged-run.ts";

const timeoutSeconds = 20;
const never = new Promise<never>(() => {});

/** A memory in which the test replaces some operations. */
const memoryWith = (operations: Partial<ConversationStore>): ConversationStore => ({
  ...memoryConversations(),
  ...operations,
});

/** Places where a run may hang forever. */
const places: Record<string, StageOptions> = {
  "while memory is read": { memory: memoryWith({ recent: () => never }) },
  "before the first token": {
    calls: [
      async function* (_, signal) {
        yield await untilAbort(signal);
      },
    ],
  },
  "in the middle of an answer": {
    calls: [
      async function* (_, signal) {
        yield { type: "text", text: "Hel" };
        yield await untilAbort(signal);
      },
    ],
  },
  "while a tool works that hears nothing": {
    calls: [asks("", "deaf")],
    tools: [{ name: "deaf", execute: () => never }],
  },
  "while one of several tools works": {
    calls: [asks("", "quick", "deaf", "quick")],
    tools: [
      { name: "deaf", execute: () => never },
      { name: "quick", execute: async () => ({ success: true, data: 1 }) },
    ],
  },
  "in the model call after a tool": {
    calls: [
      asks("Hm.", "quick"),
      async function* (_, signal) {
        yield await untilAbort(signal);
      },
    ],
    tools: [{ name: "quick", execute: async () => ({ success: true, data: 1 }) }],
  },
  "while memory is written": { memory: memoryWith({ append: () => never }) },
};

const staged = (options: StageOptions): Stage =>
  stage({ ...options, spec: { orchestration: { timeout_seconds: timeoutSeconds }, ...options.spec } });

/** What must hold after any run that failed. */
async function expectEnded(run: Stage, status: string, code: string, thrown?: unknown): Promise<void> {
  await settle();
  expect(run.finished.map((finished) => finished.status)).toEqual([status as "error"]);
  expect(run.started).toHaveLength(1);
  expect(run.traces).toHaveLength(1);
  expect(run.traces[0]?.status).toBe("ERROR");
  expect(run.traces[0]?.spans[0]).toMatchObject({
    name: "agent.run",
    status: "ERROR",
    attributes: { status, error: code },
  });
  expect(run.logged.filter(({ event }) => event === "run.finished")).toHaveLength(1);
  if (thrown !== undefined)
    expect(thrown).toMatchObject({ details: { facts: { trace_id: run.traces[0]?.trace_id } } });
  expect(run.openAnswers()).toBe(0);
  expect(run.clock.pending).toBe(0);
}

const notRead = new Set(["while memory is read"]);
const turnsOf = (run: Stage, place: string) => (notRead.has(place) ? [] : run.turns());

describe("at any place of the run,", () => {
  test.each(Object.keys(places))("a cancelled run ends: %s", async (place) => {
    const run = staged(places[place] ?? {});
    const caller = new AbortController();
    const playing = play(run.start({ cancelledBy: [new AbortController().signal, caller.signal] }));
    await settle();
    expect(run.finished).toEqual([]);
    caller.abort();
    const { thrown, result } = await playing;
    expect(thrown).toMatchObject({ code: "run_cancelled", kind: "unavailable" });
    expect(result).toBeUndefined();
    await expectEnded(run, "cancelled", "run_cancelled", thrown);
    expect(await turnsOf(run, place)).toEqual([]);
  });

  test.each(Object.keys(places))("a run whose time is up ends: %s", async (place) => {
    const run = staged(places[place] ?? {});
    const playing = play(run.start());
    await run.clock.advance(timeoutSeconds * 1000 - 1);
    expect(run.finished).toEqual([]);
    await run.clock.advance(1);
    const { thrown } = await playing;
    expect(thrown).toMatchObject({ code: "orchestration_timeout", status: 408 });
    await expectEnded(run, "timeout", "orchestration_timeout", thrown);
    expect(run.finished[0]?.latencyMs).toBe(timeoutSeconds * 1000);
    expect(await turnsOf(run, place)).toEqual([]);
  });

  test.each(Object.keys(places))("tokens that went out stay out: %s", async (place) => {
    const run = staged(places[place] ?? {});
    const caller = new AbortController();
    const playing = play(run.start({ cancelledBy: [caller.signal] }));
    await settle();
    caller.abort();
    const { tokens } = await playing;
    const expected: Record<string, string> = {
      "in the middle of an answer": "Hel",
      "in the model call after a tool": "Hm.",
      "while memory is written": "Hello there.",
    };
    expect(tokens).toBe(expected[place] ?? "");
  });
});

describe("of a cancellation and the end of the time", () => {
  /** A model that is slow to stop. */
  const reluctant = () => {
    const release = Promise.withResolvers<void>();
    const run = staged({
      calls: [
        async function* (_, signal) {
          await untilAbort(signal).catch(() => undefined);
          await release.promise;
          yield* says("too late");
        },
      ],
    });
    return { run, release };
  };

  test("the cancellation counts when it comes first", async () => {
    const { run, release } = reluctant();
    const caller = new AbortController();
    const playing = play(run.start({ cancelledBy: [caller.signal] }));
    await settle();
    caller.abort();
    await run.clock.advance(timeoutSeconds * 1000);
    release.resolve();
    expect((await playing).thrown).toMatchObject({ code: "run_cancelled" });
    expect(run.finished[0]?.status).toBe("cancelled");
  });

  test("the time counts when it is up first", async () => {
    const { run, release } = reluctant();
    const caller = new AbortController();
    const playing = play(run.start({ cancelledBy: [caller.signal] }));
    await run.clock.advance(timeoutSeconds * 1000);
    caller.abort();
    release.resolve();
    expect((await playing).thrown).toMatchObject({ code: "orchestration_timeout" });
    expect(run.finished[0]?.status).toBe("timeout");
    expect(await run.turns()).toEqual([]);
  });
});

test("a run that was cancelled before it began calls no model", async () => {
  const run = staged({});
  const { thrown } = await run.run({ cancelledBy: [AbortSignal.abort()] });
  expect(thrown).toMatchObject({ code: "run_cancelled" });
  expect(run.model.requests).toEqual([]);
  await expectEnded(run, "cancelled", "run_cancelled");
});

test("who cancels may say why", async () => {
  const run = staged({});
  const why = new AppError("rate_limited", "too_many_streams", "Too many.");
  const { thrown } = await run.run({ cancelledBy: [AbortSignal.abort(why)] });
  expect(thrown).toMatchObject({ kind: why.kind, code: why.code, message: why.message });
  // Others may be cancelled for the same reason.
  expect(why.details).toEqual({});
  await expectEnded(run, "cancelled", "too_many_streams");
});

test("a run that is cancelled while its last token is read keeps nothing", async () => {
  const run = staged({});
  const caller = new AbortController();
  const events = run.start({ cancelledBy: [caller.signal] });
  expect((await events.next()).value).toMatchObject({ type: "token" });
  caller.abort();
  expect(await play(events)).toMatchObject({ thrown: { code: "run_cancelled" } });
  await expectEnded(run, "cancelled", "run_cancelled");
  expect(await run.turns()).toEqual([]);
});

describe("a reader that leaves after each event", () => {
  const talkative: StageOptions = {
    spec: {
      guardrails: {
        input: [{ type: "pii_detection", action: "redact" }],
        output: [{ type: "pii_detection", action: "redact" }],
      },
    },
    calls: [asks("Wait. ", "quick", "deaf"), says("Mail ", "b@example.com", " now.")],
  };

  test("cancels the run and the tools that still work", async () => {
    let length = Number.POSITIVE_INFINITY;
    for (let read = 1; read < length; read++) {
      const heard: AbortSignal[] = [];
      const finish = Promise.withResolvers<void>();
      const run = staged({
        ...talkative,
        tools: [
          { name: "quick", execute: async () => ({ success: true, data: 1 }) },
          {
            name: "deaf",
            async execute(_, { signal }) {
              heard.push(signal);
              await finish.promise;
              throw new Error("nobody hears this");
            },
          },
        ],
      });
      const events = run.start({ query: "I am a@example.com" });
      const got: RunEvent[] = [];
      while (got.length < read) {
        const next = events.next();
        // The last result waits for the tool that ignores the abort.
        if (got.at(-1)?.type === "tool_result") finish.resolve();
        const { value, done } = await next;
        if (done === true) throw new Error("the run is over");
        got.push(value);
        if (value.type === "done") length = got.length;
      }
      await events.return();
      finish.resolve();
      if (read === length) break;
      await expectEnded(run, "cancelled", "run_cancelled");
      expect(await run.turns()).toEqual([]);
      const isAtWork = got.at(-1)?.type === "tool_result" && heard.length > 0;
      if (isAtWork && got.filter(({ type }) => type === "tool_result").length === 1) {
        expect(heard[0]?.aborted).toBeTrue();
      }
    }
    expect(length).toBeGreaterThan(10);
  });

  test("after the result, it has missed nothing", async () => {
    const run = staged({});
    for await (const event of run.start()) if (event.type === "done") break;
    expect(run.finished).toMatchObject([{ status: "ok" }]);
    expect(await run.turns()).toHaveLength(2);
  });

  test("before anything was read, nothing has begun", async () => {
    const run = staged({});
    await run.start().return();
    expect([run.started, run.finished, run.clock.pending]).toEqual([[], [], 0]);
  });
});

test("a tool that runs on after its run and then fails has no effect", async () => {
  const finish = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const run = staged({
    calls: [asks("", "deaf")],
    tools: [
      {
        name: "deaf",
        async execute(_, context) {
          signal = context.signal;
          await finish.promise;
          throw new Error("late");
        },
      },
    ],
  });
  const caller = new AbortController();
  const playing = play(run.start({ cancelledBy: [caller.signal] }));
  await settle();
  expect(signal?.aborted).toBeFalse();
  caller.abort();
  const { events } = await playing;
  expect(signal?.aborted).toBeTrue();
  expect(events.at(-1)).toMatchObject({
    type: "tool_result",
    ok: false,
    output: { success: false, error: "deaf was stopped: the run has ended." },
  });
  const [trace] = run.traces;
  expect(trace?.spans.filter(({ name }) => name === "llm.complete")).toHaveLength(1);
  const before = JSON.stringify(run.traces);
  finish.resolve();
  await settle();
  expect(JSON.stringify(run.traces)).toBe(before);
  expect(run.toolsExecuted).toHaveLength(1);
});

describe("when something fails", () => {
  const failing = (failure: ModelFailureClass) => new ModelFailure(failure, `${failure}.`);
  const storageDown = new AppError("unavailable", "storage_unavailable", "The database does not answer.");
  const refuse = async (): Promise<never> => {
    throw storageDown;
  };
  const blocking = { guardrails: { input: [{ type: "max_length", action: "block", max_chars: 1 }] } };
  const table: [
    name: string,
    options: StageOptions,
    code: string,
    httpStatus: number,
    tokens: string,
    failed: string[],
  ][] = [
    [
      "no provider answers",
      { calls: [failing("unreachable")] },
      "no_provider_available",
      503,
      "",
      ["orchestration", "llm.complete"],
    ],
    [
      "its answer is of no use",
      { calls: [failing("unusable")] },
      "provider_failed",
      502,
      "",
      ["orchestration", "llm.complete"],
    ],
    [
      "the key is wrong",
      { calls: [failing("auth")] },
      "provider_failed",
      502,
      "",
      ["orchestration", "llm.complete"],
    ],
    [
      "the prompt is too long",
      { calls: [failing("context_length")] },
      "context_length_exceeded",
      422,
      "",
      ["orchestration", "llm.complete"],
    ],
    [
      "the model refuses",
      { calls: [failing("content_refused")] },
      "content_refused",
      422,
      "",
      ["orchestration", "llm.complete"],
    ],
    [
      "an answer breaks off",
      { calls: [{ text: "Hel", cutBy: failing("unusable") }] },
      "provider_failed",
      502,
      "Hel",
      ["orchestration", "llm.complete"],
    ],
    [
      "memory can't be read",
      { memory: memoryWith({ recent: refuse }) },
      "storage_unavailable",
      503,
      "",
      ["memory_build"],
    ],
    [
      "memory can't be written",
      { memory: memoryWith({ append: refuse }) },
      "storage_unavailable",
      503,
      "Hello there.",
      ["memory_persist"],
    ],
    ["the query is blocked", { spec: blocking }, "guardrail_blocked", 422, "", ["guardrails.input"]],
    [
      "a template fails",
      { spec: { prompts: { system: "{{ 1 // 0 }}" } } },
      "template_failed",
      422,
      "",
      ["prompt_render"],
    ],
    [
      "it is a fault of ours",
      { memory: memoryWith({ recent: () => Promise.reject(new TypeError("secret")) }) },
      "internal",
      500,
      "",
      ["memory_build"],
    ],
  ];
  test.each(table)(
    "%s: the run says so and is traced",
    async (_, options, code, httpStatus, tokens, failed) => {
      const run = staged(options);
      const played = await run.run();
      expect(played.thrown).toBeInstanceOf(AppError);
      expect(played.thrown).toMatchObject({ code, status: httpStatus });
      expect(played.tokens).toBe(tokens);
      expect(played.result).toBeUndefined();
      await expectEnded(run, code === "guardrail_blocked" ? "blocked" : "error", code);
      const [, ...spans] = run.traces[0]?.spans ?? [];
      expect(spans.filter(({ status }) => status === "ERROR").map(({ name }) => name)).toEqual(failed);
      if (code !== "storage_unavailable" && code !== "internal") expect(await run.turns()).toEqual([]);
    },
  );

  test("an unforeseen error is kept for the log, and hidden from the caller", async () => {
    const fault = new TypeError("secret");
    const run = staged({ memory: memoryWith({ recent: () => Promise.reject(fault) }) });
    const { thrown } = await run.run();
    expect(thrown).toMatchObject({ message: "Something went wrong on our side.", cause: fault });
  });

  test("it matters no more once the run was cancelled", async () => {
    const caller = new AbortController();
    const run = staged({
      calls: [
        async function* () {
          caller.abort();
          yield* [];
          throw failing("unusable");
        },
      ],
    });
    expect((await run.run({ cancelledBy: [caller.signal] })).thrown).toMatchObject({ code: "run_cancelled" });
  });
});
