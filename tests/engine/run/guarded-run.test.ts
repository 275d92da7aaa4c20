import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../../src/engine/run-state/run-event.ts";
import type { OpenSpan } from "../../../src/engine/telemetry/trace.ts";
import { settle } from "../../support/fake-clock.ts";
import { endOfAnswer } from "../../support/scripted-model.ts";
import { asks, type Stage, type StageOptions, says, stage, told } from "../../support/staged-run.ts";

const pii = (action: string) => ({ type: "pii_detection", action });
const guarded = (guardrails: object, options: StageOptions = {}) =>
  stage({ ...options, spec: { ...options.spec, guardrails } });

const spanOf = (run: Stage, name: string): OpenSpan | undefined =>
  run.traces[0]?.spans.find((span) => span.name === name);
const flagsOf = async (run: Stage, query: string) => (await run.run({ query })).result?.metadata.guardrails;

describe("what the user says", () => {
  test("is redacted before model, memory, prompt and trace see it", async () => {
    const run = guarded(
      { input: [pii("redact")] },
      { spec: { prompts: { system: "Asked: {{ user_query }}" }, observability: { record: true } } },
    );
    const { events, result } = await run.run({ query: "I am ann@example.com, 078-05-1120." });
    expect(told(run.model)).toEqual(["system: Asked: I am [EMAIL], [SSN].", "user: I am [EMAIL], [SSN]."]);
    expect((await run.turns())[0]?.content).toBe("I am [EMAIL], [SSN].");
    expect(JSON.stringify([run.traces, events, run.logged])).not.toMatch(/ann@|078-05/);
    expect(events[0]).toEqual({
      type: "guardrail",
      guardrail: "pii_detection",
      stage: "input",
      outcome: "redacted",
      hits: 2,
    });
    expect(result?.metadata.guardrails).toEqual({
      input_pii_redacted: true,
      output_filtered: false,
      tokens_within_budget: true,
    });
    expect(spanOf(run, "guardrails.input")).toMatchObject({
      status: "OK",
      attributes: { pii_detection: "redacted" },
    });
  });

  test("is redacted where the caller brought it as history, too", async () => {
    const run = guarded({ input: [pii("redact")] });
    const { events } = await run.run({
      query: "and bob@example.com?",
      history: [
        { role: "user", content: "Know ann@example.com?" },
        { role: "assistant", content: "The one at ann@example.com." },
      ],
    });
    expect(told(run.model).slice(1)).toEqual([
      "user: Know [EMAIL]?",
      "assistant: The one at [EMAIL].",
      "user: and [EMAIL]?",
    ]);
    expect(events.filter(({ type }) => type === "guardrail")).toMatchObject([
      { outcome: "redacted", hits: 3 },
    ]);
  });

  test("is 422 before memory is read or the model called, also for earlier messages", async () => {
    for (const request of [
      { query: "ann@example.com" },
      { query: "hi", history: [{ role: "user" as const, content: "ann@example.com" }] },
    ]) {
      const run = guarded({ input: [pii("block")] });
      const { thrown, events } = await run.run(request);
      expect(thrown).toMatchObject({
        code: "guardrail_blocked",
        status: 422,
        details: { facts: { type: "pii_detection", stage: "input" } },
      });
      expect([events, run.model.requests, await run.turns()]).toEqual([[], [], []]);
      expect(run.traces[0]?.spans.map(({ name }) => name)).toEqual(["agent.run", "guardrails.input"]);
      expect(spanOf(run, "guardrails.input")).toMatchObject({
        status: "ERROR",
        attributes: { pii_detection: "blocked" },
      });
      expect(run.logged[0]).toMatchObject({
        level: "info",
        event: "guardrail.blocked",
        fields: { guardrail: "pii_detection", stage: "input", hits: 1 },
      });
      expect(run.traces[0]?.spans[0]?.attributes).toMatchObject({
        status: "blocked",
        error: "guardrail_blocked",
        blocked_by: { type: "pii_detection", stage: "input" },
      });
      expect(run.finished).toMatchObject([{ status: "blocked" }]);
    }
  });

  test("passes its guardrails in their order, and only personal data counts as redacted", async () => {
    const cut = { type: "max_length", action: "redact", max_chars: 4 };
    const both = guarded({ input: [cut, pii("redact")] });
    expect(await flagsOf(both, "abcdefgh")).toMatchObject({ input_pii_redacted: false });
    expect(told(both.model).at(-1)).toBe("user: abcd");
    expect(spanOf(both, "guardrails.input")?.attributes).toEqual({
      max_length: "redacted",
      pii_detection: "passed",
    });
    const other = guarded({ input: [pii("redact"), cut] });
    expect(await flagsOf(other, "a@example.com")).toMatchObject({ input_pii_redacted: true });
    expect(told(other.model).at(-1)).toBe("user: [EMA");
  });

  test.each([
    ["warn", "warned", "warn"],
    ["log", "logged", "info"],
  ])("goes on as it is under %s, and the log tells", async (action, outcome, level) => {
    const run = guarded({ input: [pii(action)] });
    const { events } = await run.run({ query: "a@example.com" });
    expect(told(run.model).at(-1)).toBe("user: a@example.com");
    expect(events[0]).toMatchObject({ type: "guardrail", outcome, hits: 1 });
    expect(run.logged[0]).toEqual({
      level,
      event: `guardrail.${outcome}`,
      fields: {
        agent: "staged",
        guardrail: "pii_detection",
        stage: "input",
        hits: 1,
        trace_id: run.traces[0]?.trace_id,
      },
    });
  });
});

test("warnings are reported, also where a later guardrail blocks", async () => {
  const topics = { type: "topic_filter", topics: ["politics"] };
  const run = guarded({ input: [pii("warn"), topics, { ...pii("log"), entities: ["phone"] }] });
  const { thrown, events } = await run.run({ query: "Elections? ann@example.com" });
  expect(thrown).toMatchObject({ details: { facts: { type: "topic_filter", stage: "input" } } });
  expect(events).toMatchObject([{ type: "guardrail", guardrail: "pii_detection", outcome: "warned" }]);
  expect(run.logged.map(({ event }) => event)).toEqual([
    "guardrail.warned",
    "guardrail.blocked",
    "run.finished",
  ]);
  expect(spanOf(run, "guardrails.input")?.attributes).toEqual({
    pii_detection: "warned",
    topic_filter: "blocked",
  });
});

test("a guardrail that is listed twice is traced twice", async () => {
  const run = guarded({ input: [pii("redact"), { ...pii("warn"), entities: ["email"] }] });
  await run.run({ query: "ann@example.com" });
  expect(spanOf(run, "guardrails.input")?.attributes).toEqual({
    pii_detection: "redacted",
    "pii_detection#2": "passed",
  });
});

describe("the answer", () => {
  test("leaves redacted, however it comes in pieces, and so it is kept", async () => {
    const run = guarded(
      { output: [pii("redact")] },
      { calls: [says("Mail a", "nn@exam", "ple.com", " soon.")] },
    );
    const { tokens, result, events } = await run.run();
    expect(tokens).toBe("Mail [EMAIL] soon.");
    expect(result?.response).toBe(tokens);
    expect((await run.turns())[1]?.content).toBe(tokens);
    expect(events.at(-2)).toEqual({
      type: "guardrail",
      guardrail: "pii_detection",
      stage: "output",
      outcome: "redacted",
      hits: 1,
    });
    expect(result?.metadata.guardrails).toMatchObject({ input_pii_redacted: false, output_filtered: true });
    expect(spanOf(run, "guardrails.output")).toMatchObject({
      parent_span_id: run.traces[0]?.spans[0]?.span_id,
      attributes: { pii_detection: "redacted" },
    });
  });

  test("that has nothing in it passes, and says so", async () => {
    const run = guarded({ output: [pii("redact")] });
    const { result, events } = await run.run();
    expect(result?.response).toBe("Hello there.");
    expect(events.filter(({ type }) => type === "guardrail")).toEqual([]);
    expect(result?.metadata.guardrails).toEqual({
      input_pii_redacted: false,
      output_filtered: false,
      tokens_within_budget: true,
    });
    expect((await stage().run()).result?.metadata).not.toHaveProperty("guardrails");
  });

  test("is held back under block, and nothing of it leaves", async () => {
    const run = guarded({ output: [pii("block")] }, { calls: [says("Mail ", "ann@example.com", " soon.")] });
    const { tokens, thrown } = await run.run();
    expect(tokens).toBe("");
    expect(thrown).toMatchObject({ details: { facts: { type: "pii_detection", stage: "output" } } });
    expect(await run.turns()).toEqual([]);
    expect(run.finished).toMatchObject([{ status: "blocked" }]);
    const fine = await guarded({ output: [pii("block")] }).run();
    expect(fine.tokens).toBe("Hello there.");
  });

  test("that is blocked in its middle ends the model's call there", async () => {
    let pieces = 0;
    const run = guarded(
      { output: [pii("block")] },
      {
        calls: [
          async function* () {
            for (const text of ["Mail ", "ann@example.com", " soon", ", or ", "never"]) {
              pieces++;
              yield { type: "text", text };
            }
          },
        ],
      },
    );
    const { thrown } = await run.run();
    expect(thrown).toMatchObject({ code: "guardrail_blocked" });
    expect(pieces).toBeLessThan(5);
    expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
    expect(spanOf(run, "llm.complete")?.status).toBe("ERROR");
  });
});

describe("an answer that becomes longer than its cost_limit", () => {
  const limit = (action: string) => ({ type: "cost_limit", max_tokens_per_turn: 3, action });
  const telling = (pieces: string[]) => {
    const told = { count: 0 };
    const call = async function* () {
      for (const text of pieces) {
        told.count++;
        yield { type: "text" as const, text };
      }
      yield endOfAnswer;
    };
    return { told, call };
  };
  const pieces = ["one ", "two ", "three", " four", " five", " six"];

  test.each([
    ["alone", [limit("redact")], "one two thre"],
    [
      "after one that holds the answer back",
      [{ type: "content_filter", action: "block", keywords: ["never"] }, limit("redact")],
      "one two thre",
    ],
    [
      "before one that redacts",
      [limit("redact"), { type: "content_filter", keywords: ["two"] }],
      "one [FILTERED] thre",
    ],
  ])("%s, is cut there, the model's call ended, and the run is well", async (_, output, expected) => {
    const { told: said, call } = telling(pieces);
    const run = guarded({ output }, { calls: [call], price: { in: 1000, out: 1000 } });
    const { tokens, result, thrown, events } = await run.run();
    expect([thrown, tokens, result?.response]).toEqual([undefined, expected, expected]);
    expect(said.count).toBe(3);
    expect(run.openAnswers()).toBe(0);
    expect((await run.turns())[1]?.content).toBe(expected);
    expect(run.finished).toMatchObject([{ status: "ok" }]);
    expect(result?.metadata.guardrails).toMatchObject({
      tokens_within_budget: false,
      output_filtered: expected.includes("[FILTERED]"),
    });
    expect(events.at(-1)).toMatchObject({ type: "done", finish: "length" });
    expect(events).toContainEqual({
      type: "guardrail",
      guardrail: "cost_limit",
      stage: "output",
      outcome: "redacted",
      hits: 1,
    });
    // The usage up to that point is counted, by an estimate.
    expect(run.usage).toMatchObject([{ outputTokens: 4, estimated: true, costMicros: expect.any(Number) }]);
    expect(result?.usage.output_tokens).toBe(4);
  });

  test("is streamed by the model even if the caller doesn't stream, so that it can be ended", async () => {
    const { told: said, call } = telling(pieces);
    const run = guarded({ output: [limit("redact")] }, { calls: [call] });
    const { result } = await run.run({ stream: false });
    expect([said.count, run.model.requests[0]?.stream, result?.response]).toEqual([3, true, "one two thre"]);
    const unlimited = guarded({ output: [limit("warn")] });
    await unlimited.run({ stream: false });
    expect(unlimited.model.requests[0]?.stream).toBe(false);
  });

  test("in a turn that would have called a tool, calls none", async () => {
    const run = guarded(
      { output: [limit("redact")] },
      {
        calls: [asks("one two three four", "find"), "never"],
        tools: [{ name: "find", execute: async () => ({ success: true, data: 1 }) }],
      },
    );
    const { tokens } = await run.run();
    expect([tokens, run.toolsExecuted, run.model.requests.length]).toEqual(["one two thre", [], 1]);
  });

  test("is refused under block", async () => {
    const { told: said, call } = telling(pieces);
    const run = guarded({ output: [limit("block")] }, { calls: [call] });
    const { thrown } = await run.run();
    expect(thrown).toMatchObject({
      code: "guardrail_blocked",
      details: { facts: { type: "cost_limit", stage: "output" } },
    });
    expect([said.count, await run.turns()]).toEqual([3, []]);
    expect(spanOf(run, "guardrails.output")).toMatchObject({
      status: "ERROR",
      attributes: { cost_limit: "blocked" },
    });
  });

  test.each(["warn", "log"])("is whole under %s, and said to be over its budget", async (action) => {
    const { call } = telling(pieces);
    const run = guarded({ output: [limit(action)] }, { calls: [call] });
    const { tokens, result } = await run.run();
    expect(tokens).toBe(pieces.join(""));
    expect(result?.metadata.guardrails?.tokens_within_budget).toBe(false);
  });

  test("and one that doesn't is whole", async () => {
    const run = guarded(
      { output: [{ ...limit("redact"), max_tokens_per_turn: 50 }] },
      { calls: [says(...pieces)] },
    );
    const { tokens, result, events } = await run.run();
    expect(tokens).toBe(pieces.join(""));
    expect(result?.metadata.guardrails?.tokens_within_budget).toBe(true);
    expect(events.at(-1)).toMatchObject({ finish: "stop" });
  });
});

describe("an answer with filtered content", () => {
  const filter = (action: string) => ({
    type: "content_filter",
    action,
    keywords: ["secret plan"],
    patterns: ["K-\\d+"],
  });

  test("leaves without it, however it comes in pieces, and so it is kept", async () => {
    const run = guarded(
      { output: [filter("redact")] },
      { calls: [says("The sec", "ret", " pl", "an is K", "-4", "2.")] },
    );
    const { tokens, result } = await run.run();
    expect(tokens).toBe("The [FILTERED] is [FILTERED].");
    expect([result?.response, (await run.turns())[1]?.content]).toEqual([tokens, tokens]);
    expect(result?.metadata.guardrails?.output_filtered).toBe(true);
  });

  test("is refused under block, and nothing of it left", async () => {
    const run = guarded({ output: [filter("block")] }, { calls: [says("The ", "secret plan ", "is")] });
    const { tokens, thrown } = await run.run();
    expect([tokens, thrown]).toMatchObject(["", { code: "guardrail_blocked" }]);
  });
});

describe("steps and hand-offs on the way to an answer", () => {
  const passing = (action: string, event: RunEvent) => {
    const run = guarded({ output: [pii(action)] });
    run.agent.pattern.run = async function* () {
      yield event;
      return { stop: "answered" };
    };
    return run;
  };
  const step: RunEvent = { type: "step", name: "plan", content: "Ask ann@example.com." };
  const handoff: RunEvent = { type: "handoff", from: "a", to: "b", reason: "for ann@example.com" };

  test("pass the output guardrails", async () => {
    expect((await passing("redact", step).run()).events[0]).toEqual({ ...step, content: "Ask [EMAIL]." });
    expect((await passing("redact", handoff).run()).events[0]).toEqual({ ...handoff, reason: "for [EMAIL]" });
    const plain: RunEvent = { type: "handoff", from: "a", to: "b" };
    expect((await passing("redact", plain).run()).events[0]).toEqual(plain);
  });

  test.each([
    ["step", step],
    ["handoff", handoff],
  ])("block the run under block: %s", async (_, event) => {
    const { thrown, events } = await passing("block", event).run();
    expect([events, thrown]).toMatchObject([[], { code: "guardrail_blocked" }]);
  });

  test("count among what was found", async () => {
    const { events, result } = await passing("redact", step).run();
    expect(events).toContainEqual(
      expect.objectContaining({ type: "guardrail", outcome: "redacted", hits: 1 }),
    );
    expect(result?.metadata.guardrails?.output_filtered).toBe(true);
  });
});

describe("what tools are given and give", () => {
  const withTool = (action: string, record = false) =>
    guarded(
      { output: [pii(action)] },
      {
        spec: { observability: { record } },
        calls: [asks("", { name: "find", input: { who: "ann@example.com", ids: [1] } }), "Found."],
        tools: [
          { name: "find", execute: async () => ({ success: true, data: { mail: ["bob@example.com"] } }) },
        ],
      },
    );

  test("passes the output guardrails in frames, result and recorded trace", async () => {
    const run = withTool("redact", true);
    const { events, result } = await run.run();
    const input = { who: "[EMAIL]", ids: [1] };
    const output = { success: true, data: { mail: ["[EMAIL]"] } };
    expect(events[0]).toMatchObject({ type: "tool_call", input });
    expect(events[1]).toMatchObject({ type: "tool_result", output, ok: true });
    expect(result?.tool_calls).toEqual([{ tool: "find", input, output }]);
    expect(spanOf(run, "tool.call")?.attributes).toMatchObject({ input, output });
    // The model gets the tool's original result.
    expect(told(run.model).at(-1)).toBe('tool: {"mail":["bob@example.com"]}');
  });

  test("blocks the run under block, and no trace holds it", async () => {
    const run = withTool("block", true);
    const { thrown, events } = await run.run();
    await settle();
    expect(thrown).toMatchObject({ code: "guardrail_blocked" });
    expect(events).toEqual([]);
    expect(JSON.stringify(run.traces)).not.toContain("example.com");
    expect(run.toolsExecuted).toEqual([]);
  });

  test("blocks the run also for a result, which is not shown and not handed to the model", async () => {
    const run = guarded(
      { output: [pii("block")] },
      {
        spec: { observability: { record: true } },
        calls: [asks("", { name: "find" }), "Found."],
        tools: [{ name: "find", execute: async () => ({ success: true, data: "bob@example.com" }) }],
      },
    );
    const { thrown, events } = await run.run();
    expect(thrown).toMatchObject({ details: { facts: { type: "pii_detection", stage: "output" } } });
    expect(events.map(({ type }) => type)).toEqual(["tool_call"]);
    expect([run.model.requests.length, await run.turns()]).toEqual([1, []]);
    expect(JSON.stringify([run.traces, run.logged])).not.toContain("example.com");
    expect(run.finished).toMatchObject([{ status: "blocked" }]);
    expect(spanOf(run, "guardrails.output")?.attributes).toEqual({ pii_detection: "blocked" });
  });

  test.each([
    ["warn", "guardrail.warned"],
    ["log", "guardrail.logged"],
  ])("is reported under %s, and not changed", async (action, event) => {
    const run = withTool(action);
    const { events, result } = await run.run();
    expect(result?.tool_calls).toMatchObject([{ input: { who: "ann@example.com" } }]);
    expect(events.at(-2)).toMatchObject({ type: "guardrail", hits: 2 });
    expect(run.logged[0]).toMatchObject({ event, fields: { guardrail: "pii_detection", hits: 2 } });
  });

  test("what the model said is recorded as it left", async () => {
    const run = guarded(
      { output: [pii("redact")] },
      { spec: { observability: { record: true } }, calls: ["It is ann@example.com."] },
    );
    await run.run();
    expect(spanOf(run, "llm.complete")?.attributes.output).toBe("It is [EMAIL].");
  });
});
