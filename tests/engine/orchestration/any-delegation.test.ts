import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Message } from "../../../src/engine/models/model.ts";
import { ModelFailure } from "../../../src/engine/models/model-failure.ts";
import { settle } from "../../support/fake-clock.ts";
import { endOfAnswer, type ScriptedCall } from "../../support/scripted-model.ts";
import { type Stage, type StagedAgent, stage, untilAbort } from "../../support/staged-run.ts";

const names = ["staged", "a", "b", "c"] as const;

/** One model call: its text, its tool calls, and how it ends. */
const call = fc.record({
  text: fc.constantFrom("", "Hi", "Hm. ", "So\n"),
  tools: fc.array(fc.constantFrom(...names, "a", "b", "c", "gone", "datetime_now"), { maxLength: 3 }),
  end: fc.oneof(
    { weight: 12, arbitrary: fc.constant("end") },
    { weight: 1, arbitrary: fc.constantFrom("fails", "hangs") },
  ),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const script = fc.record({
  pattern: fc.constantFrom("swarm", "supervisor", "react"),
  calls: fc.record({
    staged: fc.array(call, { minLength: 1, maxLength: 4 }),
    a: fc.array(call, { minLength: 1, maxLength: 3 }),
    b: fc.array(call, { minLength: 1, maxLength: 3 }),
    c: fc.array(call, { minLength: 1, maxLength: 3 }),
  }),
  maxIterations: fc.integer({ min: 1, max: 8 }),
  maxRunTokens: fc.constantFrom(null, null, 400, 4000),
  /** Number of events after which the reader leaves. */
  left: fc.option(fc.integer({ min: 1, max: 12 })),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

const play = ({ text, tools, end }: Call): ScriptedCall =>
  async function* (_, signal) {
    if (text !== "") yield { type: "text", text };
    if (end === "fails") throw new ModelFailure("unusable", "It broke off.");
    if (end === "hangs") await untilAbort(signal);
    for (const [index, name] of tools.entries()) {
      yield { type: "tool_call", call: { id: `c${index}`, name, input: { query: "go on" } } };
    }
    yield endOfAnswer;
  };

function cast({ pattern, calls, maxIterations, maxRunTokens }: Script) {
  const agentOf = (name: (typeof names)[number]): StagedAgent => ({
    calls: calls[name].map(play),
    spec: {
      orchestration: { pattern, max_iterations: maxIterations, max_run_tokens: maxRunTokens },
      tools: [
        ...[...names, "gone"]
          .filter((other) => other !== name)
          .map((other) => ({ name: other, type: "agent", config: { agent: other } })),
        { name: "datetime_now", type: "builtin" },
      ],
    },
  });
  const { staged, ...agents } = Object.fromEntries(names.map((name) => [name, agentOf(name)]));
  return stage({ ...staged, agents });
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

async function read(run: Stage, leaveAfter: number | null) {
  const reading = {
    tokens: "",
    way: ["staged"],
    response: undefined as string | undefined,
    total: 0,
    count: 0,
  };
  const events = run.start();
  for (;;) {
    if (reading.count === leaveAfter) {
      await events.return();
      return reading;
    }
    let isSettled = false;
    const next = events
      .next()
      .catch(() => undefined)
      .finally(() => {
        isSettled = true;
      });
    await settle();
    // Advances the clock until a stuck run ends.
    while (!isSettled) await run.clock.advance(60_000);
    const event = await next;
    if (event === undefined || event.done) return reading;
    reading.count++;
    const { value } = event;
    if (value.type === "token") reading.tokens += value.content;
    if (value.type === "handoff") {
      expect(reading.way.at(-1)).toBe(value.from);
      reading.way.push(value.to);
    }
    if (value.type === "done") {
      reading.response = value.result.response;
      reading.total = value.result.usage.total_tokens;
    }
  }
}

test("any delegation between agents ends, keeps its limits, and leaves nothing open", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(script, async (given) => {
      const run = cast(given);
      const reading = await read(run, given.left);
      await settle();
      expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
      for (const name of names) {
        for (const { messages } of run.modelOf(name).requests) expectSoundMessages(messages);
      }
      expect(run.traces).toHaveLength(1);
      expect(run.started).toHaveLength(run.finished.length);
      if (run.finished.length > 2) seen.add("agents below agents");
      if (given.pattern === "swarm") {
        expect(run.finished.map(({ agent }) => agent)).toEqual(["staged"]);
        const requests = names.flatMap((name) => run.modelOf(name).requests);
        expect(requests.length).toBeLessThanOrEqual(given.maxIterations);
        expect(new Set(reading.way).isSubsetOf(new Set(names))).toBeTrue();
        if (reading.way.length > 2) seen.add("several hand-offs");
      } else expect(reading.way).toEqual(["staged"]);
      if (reading.response === undefined) return;
      seen.add(`${given.pattern} answers`);
      expect(reading.response).toBe(reading.tokens);
      // The result reports the usage of all agents, which is within the limit.
      const used = run.usage.reduce(
        (sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens,
        0,
      );
      expect(reading.total).toBe(used);
      expect(used).toBeLessThanOrEqual(given.maxRunTokens ?? Number.POSITIVE_INFINITY);
    }),
    { numRuns: 400 },
  );
  expect([...seen].sort()).toEqual([
    "agents below agents",
    "react answers",
    "several hand-offs",
    "supervisor answers",
    "swarm answers",
  ]);
});
