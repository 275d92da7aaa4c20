import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ConversationStore } from "../../../src/engine/memory/conversation.ts";
import type { Message, ModelEvent } from "../../../src/engine/models/model.ts";
import { ModelFailure } from "../../../src/engine/models/model-failure.ts";
import type { OpenTrace } from "../../../src/engine/telemetry/trace.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { finish } from "../../support/at-once.ts";
import { settle } from "../../support/fake-clock.ts";
import { endOfAnswer, type ScriptedCall } from "../../support/scripted-model.ts";
import {
  memoryConversations,
  type Played,
  type Stage,
  type StageOptions,
  stage,
  untilAbort,
} from "../../support/staged-run.ts";

/** One model call: its text and tool calls, and how it ends. */
const call = fc.record({
  pieces: fc.array(fc.constantFrom("Hi", " ", "", "\n", "ann@exam", "ple.com", "é😀", "078-05-", "1120 "), {
    maxLength: 5,
  }),
  tools: fc.array(fc.constantFrom("quick", "failing", "throwing", "deaf", "unknown"), { maxLength: 3 }),
  end: fc.constantFrom("end", "end", "end", "end", "fails", "hangs"),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const script = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  isGuarded: fc.boolean(),
  memory: fc.constantFrom("works", "works", "works", "can't be read", "can't be written"),
  /** An event in between, and after how many events it happens. */
  event: fc.constantFrom("nothing", "nothing", "cancelled", "late", "left"),
  after: fc.integer({ min: 1, max: 12 }),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

const timeoutMs = 30_000;
const down = new AppError("unavailable", "storage_unavailable", "Down.");

const tools: StageOptions["tools"] = [
  { name: "quick", execute: async () => ({ success: true, data: { mail: "b@example.com" } }) },
  { name: "failing", execute: async () => ({ success: false, error: "no" }) },
  { name: "throwing", execute: () => Promise.reject(new Error("boom")) },
  { name: "deaf", execute: () => new Promise(() => {}), timeoutMs: 10_000 },
];

function play(model: Call, number: number): ScriptedCall {
  return async function* (_, signal): AsyncGenerator<ModelEvent> {
    for (const text of model.pieces) {
      signal.throwIfAborted();
      yield { type: "text", text };
    }
    if (model.end === "fails") throw new ModelFailure("unusable", "It broke off.");
    if (model.end === "hangs") await untilAbort(signal);
    for (const [index, name] of model.tools.entries()) {
      yield { type: "tool_call", call: { id: `${number}.${index}`, name, input: {} } };
    }
    yield endOfAnswer;
  };
}

function memoryOf({ memory }: Script): { store: ConversationStore; kept: ConversationStore } {
  const kept = memoryConversations();
  const refuse = () => Promise.reject(down);
  const store = {
    ...kept,
    ...(memory === "can't be read" ? { recent: refuse } : {}),
    ...(memory === "can't be written" ? { append: refuse } : {}),
  };
  return { store, kept };
}

/** Reads the run; advances the clock until a stuck run ends. */
async function read(run: Stage, { event, after }: Script): Promise<Played> {
  const caller = new AbortController();
  const events = run.start({ query: "hi", cancelledBy: [caller.signal] });
  const played: Played = { events: [], tokens: "", result: undefined, thrown: undefined };
  for (;;) {
    if (played.events.length === after) {
      if (event === "cancelled") caller.abort();
      if (event === "late") await run.clock.advance(timeoutMs);
      if (event === "left") {
        await events.return();
        return played;
      }
    }
    let isSettled = false;
    const next = events.next().finally(() => {
      isSettled = true;
    });
    next.catch(() => undefined);
    await settle();
    if (!isSettled) await run.clock.advance(timeoutMs);
    try {
      const { value, done } = await next;
      if (done === true) return played;
      played.events.push(value);
      if (value.type === "token") played.tokens += value.content;
      if (value.type === "done") played.result = value.result;
    } catch (thrown) {
      played.thrown = thrown;
      return played;
    }
  }
}

function expectSoundTrace({ spans, status }: OpenTrace, isOk: boolean): void {
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  expect(byId.size).toBe(spans.length);
  expect(status).toBe(isOk ? "OK" : "ERROR");
  for (const [index, span] of spans.entries()) {
    const parent = byId.get(span.parent_span_id ?? "");
    expect(parent === undefined).toBe(index === 0);
    expect(span.start_time >= (parent?.start_time ?? "")).toBeTrue();
    expect(span.end_time <= (parent?.end_time ?? "9")).toBeTrue();
    expect(span.end_time >= span.start_time && span.duration_ms >= 0).toBeTrue();
  }
}

/** Checks that each tool call is answered, in order, before any other message. */
function expectSoundMessages(messages: readonly Message[]): void {
  const open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") expect(message.callId).toBe(open.shift() ?? "an open call");
    else expect(open).toEqual([]);
    if (message.role === "assistant") open.push(...(message.toolCalls ?? []).map(({ id }) => id));
  }
  expect(open).toEqual([]);
}

test("for any events, a run ends once, keeps both turns or none, and leaves nothing open", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(script, async (given) => {
      const { store, kept } = memoryOf(given);
      const output = given.isGuarded ? [{ type: "pii_detection", action: "redact" }] : [];
      const run = stage({
        spec: {
          orchestration: { max_iterations: 3, timeout_seconds: timeoutMs / 1000 },
          guardrails: { output },
        },
        calls: given.calls.map(play),
        tools,
        memory: store,
      });
      const { tokens, result, thrown, events } = await read(run, given);
      await settle();
      const status = run.finished[0]?.status ?? "none";
      seen.add(status);

      expect([run.started.length, run.finished.length, run.traces.length]).toEqual([1, 1, 1]);
      expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
      const isOk = status === "ok";
      if (result) expect(result.response).toBe(tokens);
      if (given.event !== "left") expect(result !== undefined).toBe(isOk);
      if (given.event !== "left") expect(thrown instanceof AppError).toBe(!isOk);
      expect(events.findIndex(({ type }) => type === "done")).toBe(result ? events.length - 1 : -1);

      const turns = await kept.recent({ tenant: "t", agent: "staged", sessionId: "s" }, 10);
      expect(turns.map(({ content }) => content)).toEqual(
        result || isOk ? ["hi", result?.response ?? tokens] : [],
      );
      if (given.isGuarded && result) {
        expect(finish(run.agent.outputGuardrails.check(tokens)).text).toBe(tokens);
        expect(JSON.stringify([events, turns])).not.toContain("@example.com");
      }

      const [trace] = run.traces;
      if (trace) expectSoundTrace(trace, isOk);
      expect(trace?.spans.filter(({ name }) => name === "tool.call")).toHaveLength(run.toolsExecuted.length);
      if (result) expect(result.usage.total_tokens).toBe(15 * run.model.requests.length);
      for (const { messages } of run.model.requests) expectSoundMessages(messages);
    }),
    { numRuns: 400, seed: 20_261_121 },
  );
  expect([...seen].sort()).toEqual(["cancelled", "error", "ok", "timeout"]);
});
