import { describe, expect, test } from "bun:test";
import type { Span } from "../../../src/engine/telemetry/trace.ts";
import { settle } from "../../support/fake-clock.ts";
import { asks, type Stage, type StageOptions, says, stage, told } from "../../support/staged-run.ts";

const pii = (action: string) => ({ type: "pii_detection", action });
const guarded = (guardrails: object, options: StageOptions = {}) =>
  stage({ ...options, spec: { ...options.spec, guardrails } });

const spanOf = (run: Stage, name: string): Span | undefined =>
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
      "assistant: The one at ann@example.com.",
      "user: and [EMAIL]?",
    ]);
    expect(events.filter(({ type }) => type === "guardrail")).toHaveLength(2);
  });

  test("is blocked before memory is read or the model asked, also for what was said earlier", async () => {
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
    expect(spanOf(both, "guardrails.input")?.attributes).toEqual({ max_length: "redacted" });
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

test("steps on the way to an answer pass the output guardrails", async () => {
  const run = guarded({ output: [pii("redact")] });
  run.agent.pattern.run = async function* () {
    yield { type: "step", name: "plan", content: "Ask ann@example.com." };
    return { outcome: "answered" };
  };
  const { events } = await run.run();
  expect(events[0]).toEqual({ type: "step", name: "plan", content: "Ask [EMAIL]." });
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
    // The model works with what the tool said.
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

  test("what the model said is recorded as it left", async () => {
    const run = guarded(
      { output: [pii("redact")] },
      { spec: { observability: { record: true } }, calls: ["It is ann@example.com."] },
    );
    await run.run();
    expect(spanOf(run, "llm.complete")?.attributes.output).toBe("It is [EMAIL].");
  });
});
