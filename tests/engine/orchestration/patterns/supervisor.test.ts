import { describe, expect, test } from "bun:test";
import { settle } from "../../../support/fake-clock.ts";
import { asks, type StageOptions, says, stage, told, untilAbort } from "../../../support/staged-run.ts";

const worker = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  type: "agent",
  description: `Knows ${name}.`,
  config: { agent: `${name}-agent` },
  ...more,
});

/** A supervisor over `billing` and `tech`, with a clock of its own. */
function desk(options: StageOptions & { orchestration?: Record<string, unknown> } = {}) {
  const { orchestration, spec, agents, ...rest } = options;
  return stage({
    ...rest,
    spec: {
      prompts: { system: "You are the front desk." },
      orchestration: { pattern: "supervisor", ...orchestration },
      tools: [worker("billing"), worker("tech"), { name: "datetime_now", type: "builtin" }],
      ...spec,
    },
    agents: {
      "billing-agent": { calls: ["You owe 7."] },
      "tech-agent": { calls: ["Turn it off and on."] },
      ...agents,
    },
  });
}

const ask = (name: string, query = `about ${name}`) => ({ id: `to-${name}`, name, input: { query } });

describe("a supervisor", () => {
  test("asks several workers at once, tells each answer as a step, and answers in its own words, streamed", async () => {
    const run = desk({
      calls: [asks("One moment.", ask("billing"), ask("tech")), says("Pay 7 ", "and restart.")],
    });
    const { events, result, tokens } = await run.run();
    expect(events.map((event) => ("name" in event ? `${event.type} ${event.name}` : event.type))).toEqual([
      "token",
      "tool_call",
      "tool_call",
      "tool_result",
      "step billing",
      "tool_result",
      "step tech",
      "token",
      "token",
      "token",
      "done",
    ]);
    expect(events.filter(({ type }) => type === "step")).toEqual([
      { type: "step", name: "billing", content: "You owe 7." },
      { type: "step", name: "tech", content: "Turn it off and on." },
    ]);
    expect(tokens).toBe("One moment.\n\nPay 7 and restart.");
    expect(result).toMatchObject({
      response: tokens,
      metadata: { pattern: "supervisor", iterations: 2, tools_called: ["billing", "tech"] },
      tool_calls: [
        { tool: "billing", input: { query: "about billing" }, output: { success: true, data: "You owe 7." } },
        { tool: "tech", output: { success: true, data: "Turn it off and on." } },
      ],
    });
    expect(told(run.modelOf("billing-agent"))).toEqual([
      "system: You are billing-agent.",
      "user: about billing",
    ]);
    expect(told(run.model).slice(1)).toEqual([
      "user: hi",
      "assistant: One moment.",
      "tool: You owe 7.",
      "tool: Turn it off and on.",
    ]);
  });

  test("gets the list of its workers in a part of the prompt that stays the same", async () => {
    const run = desk({ calls: [asks("", ask("billing")), "Done."] });
    await run.run({ query: "one" });
    await run.run({ query: "two" });
    const systems = run.model.requests.map(({ messages: [first] }) => first?.content);
    expect(new Set(systems).size).toBe(1);
    expect(systems[0]).toStartWith("You are the front desk.\n\n");
    expect(systems[0]).toContain("- billing: Knows billing.\n- tech: Knows tech.\n");
    expect(run.model.requests[0]?.messages.filter(({ role }) => role === "system")).toHaveLength(1);
  });

  test("may use its workers and its other tools, but no other agent", async () => {
    const run = desk({
      orchestration: { workers: ["tech"] },
      calls: [asks("", ask("billing"), "datetime_now"), "Done."],
    });
    const { result } = await run.run();
    const [first] = run.model.requests;
    expect(first?.tools.map(({ name }) => name)).toEqual(["tech", "datetime_now"]);
    expect(first?.messages[0]?.content).not.toContain("billing");
    expect(result?.tool_calls).toMatchObject([
      { output: { success: false, error: "There is no tool billing. Tools: tech, datetime_now." } },
      { output: { success: true } },
    ]);
    expect(run.modelOf("billing-agent").requests).toEqual([]);
  });

  test.each([
    ["no workers", { orchestration: { workers: [] } }],
    ["no agent tools", { spec: { tools: [{ name: "datetime_now", type: "builtin" }] } }],
  ])("with %s answers by itself", async (_, options) => {
    const run = desk({ ...options, calls: [asks("", "datetime_now"), "It is late."] });
    const { result, events } = await run.run();
    expect(result?.response).toBe("It is late.");
    expect(run.model.requests[0]?.messages[0]?.content).toBe("You are the front desk.");
    expect(run.model.requests[0]?.tools.map(({ name }) => name)).toEqual(["datetime_now"]);
    expect(events.some(({ type }) => type === "step")).toBeFalse();
  });

  test("without a prompt of its own has the instruction alone", async () => {
    const run = desk({ spec: { prompts: { system: "{{ nothing }}" } } });
    await run.run();
    expect(run.model.requests[0]?.messages[0]).toEqual({
      role: "system",
      content: expect.stringMatching(/^You lead a team\./),
    });
  });

  test("is played by the models of its role; the workers have their own", async () => {
    const run = desk({ roles: { supervisor: [asks("", ask("billing")), "Pay."] }, calls: ["not me"] });
    const { result } = await run.run();
    expect(result?.response).toBe("Pay.");
    expect(run.model.requests).toEqual([]);
    expect(run.modelOf("staged/supervisor").requests).toHaveLength(2);
    expect(run.traces[0]?.spans.find(({ name }) => name === "llm.complete")?.attributes).toMatchObject({
      role: "supervisor",
    });
  });

  test("hears of a worker that fails and continues; that worker has not answered", async () => {
    const run = desk({
      agents: { "billing-agent": { calls: [new Error("broken")] } },
      spec: { tools: [worker("billing"), worker("tech", { config: { agent: "nobody" } })] },
      calls: [asks("", ask("billing"), ask("tech"), { name: "tech", input: { topic: "x" } }), "Sorry."],
    });
    const { result, events } = await run.run();
    expect(result?.response).toBe("Sorry.");
    expect(events.some(({ type }) => type === "step")).toBeFalse();
    expect(result?.tool_calls.map(({ output }) => output)).toEqual([
      { success: false, error: expect.stringMatching(/^Agent billing-agent failed \(\w+\): /) },
      {
        success: false,
        error: 'Agent nobody failed (agent_not_found): There is no agent named "nobody".',
      },
      { success: false, error: expect.stringContaining("query is required") },
    ]);
  });

  test("knows what was said before", async () => {
    const run = desk({ calls: [asks("", ask("billing")), "First.", "Second."] });
    await run.run({ query: "one" });
    await run.run({ query: "two" });
    expect(told(run.model).slice(1)).toEqual(["user: one", "assistant: First.", "user: two"]);
    expect((await run.turns("s", "billing-agent")).map(({ content }) => content)).toEqual([
      "about billing",
      "You owe 7.",
    ]);
  });

  test("lets no more out of a worker's answer than its own output guardrails do", async () => {
    const run = desk({
      agents: { "billing-agent": { calls: ["Write to ann@example.com."] } },
      spec: { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } },
      calls: [asks("", ask("billing")), "Done."],
    });
    const { events } = await run.run();
    expect(JSON.stringify(events)).not.toContain("ann@");
    expect(events.find(({ type }) => type === "step")).toMatchObject({ content: "Write to [EMAIL]." });
  });
});

test("the model calls are bounded, and the last one may not delegate", async () => {
  const run = desk({ orchestration: { max_iterations: 3 }, calls: [asks("", ask("billing"))] });
  const { thrown } = await run.run();
  expect(thrown).toMatchObject({ code: "max_iterations" });
  expect(run.model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "none"]);
});

test("the trace shows each worker's run below the call that asked for it", async () => {
  const run = desk({ calls: [asks("", ask("billing"), ask("tech")), "Done."] });
  await run.run();
  const spans = run.traces[0]?.spans ?? [];
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  const pathOf = (span: (typeof spans)[number]): string => {
    const parent = byId.get(span.parent_span_id ?? "");
    const { agent, tool } = span.attributes;
    const own = [span.name, agent ?? tool].filter((part) => part !== undefined).join(":");
    return parent === undefined ? own : `${pathOf(parent)} > ${own}`;
  };
  const below = (call: string) =>
    spans
      .map(pathOf)
      .filter((path) => path.startsWith(`agent.run:staged > orchestration > tool.call:${call}`));
  for (const name of ["billing", "tech"]) {
    const call = `agent.run:staged > orchestration > tool.call:${name}`;
    const inner = `${call} > agent.run:${name}-agent`;
    expect(below(name)).toEqual([
      call,
      inner,
      `${inner} > memory_build`,
      `${inner} > prompt_render`,
      `${inner} > orchestration`,
      `${inner} > orchestration > llm.complete`,
      `${inner} > memory_persist`,
    ]);
  }
  expect(run.traces).toHaveLength(1);
  expect(spans.every(({ status }) => status === "OK")).toBeTrue();
});

describe("what workers use", () => {
  test("is counted into the answer and recorded for each agent", async () => {
    const run = desk({ calls: [asks("", ask("billing"), ask("tech")), "Done."] });
    const { result } = await run.run();
    expect(result?.usage).toEqual({ input_tokens: 40, output_tokens: 20, total_tokens: 60 });
    expect(result?.metadata.tokens_used).toBe(60);
    expect(run.usage.map(({ agent }) => agent).sort()).toEqual([
      "billing-agent",
      "staged",
      "staged",
      "tech-agent",
    ]);
    expect(run.finished.map(({ agent, inputTokens }) => [agent, inputTokens])).toEqual([
      ["billing-agent", 10],
      ["tech-agent", 10],
      ["staged", 20],
    ]);
  });

  test("comes out of the run's limit: a worker that needs more fails, and nothing is called for it", async () => {
    const long = "word ".repeat(3000);
    const run = desk({
      orchestration: { max_run_tokens: 9000 },
      agents: { "tech-agent": { spec: { prompts: { system: long } } } },
      calls: [asks("", ask("tech")), "Done."],
      spec: { tools: [worker("tech")] },
    });
    const { result } = await run.run();
    expect(result?.tool_calls[0]?.output).toEqual({
      success: false,
      error: expect.stringContaining("Agent tech-agent failed (budget_exceeded)"),
    });
    expect(run.modelOf("tech-agent").requests).toEqual([]);
    expect(result?.response).toBe("Done.");
  });

  test("is shared out when several work at once, so that the first does not take all", async () => {
    const run = desk({
      orchestration: { max_run_tokens: 20_000 },
      calls: [asks("", ask("billing"), ask("tech")), "Done."],
    });
    const { result } = await run.run();
    expect(result?.tool_calls.map(({ output }) => output)).toMatchObject([
      { success: true },
      { success: true },
    ]);
    const ceilings = ["billing-agent", "tech-agent"].map(
      (name) => run.modelOf(name).requests[0]?.answerTokensMax ?? 0,
    );
    for (const ceiling of ceilings) expect(ceiling).toBeWithin(9000, 10_000);
  });
});

describe("time", () => {
  const slow: StageOptions["agents"] = {
    "billing-agent": {
      calls: [
        async function* (_, signal) {
          yield { type: "text", text: "Let me" };
          await untilAbort(signal);
        },
      ],
    },
  };

  test("a worker may take longer than other tools, as long as its run lasts", async () => {
    const run = desk({ agents: slow, calls: [asks("", ask("billing")), "Too bad."] });
    const playing = run.run();
    await run.clock.advance(119_000);
    expect(run.openAnswers()).toBe(1);
    await run.clock.advance(1000);
    expect(await playing).toMatchObject({ thrown: { code: "orchestration_timeout" } });
    await settle();
    expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
  });

  test("an entry's limit ends the worker's run, which is counted before the next call", async () => {
    const run = desk({
      agents: slow,
      orchestration: { max_run_tokens: 5000 },
      spec: { tools: [worker("billing", { timeout_seconds: 45 })] },
      calls: [asks("", ask("billing")), "Too bad."],
    });
    const playing = run.run();
    await run.clock.advance(45_000);
    const { result } = await playing;
    expect(result?.response).toBe("Too bad.");
    expect(result?.tool_calls[0]?.output).toEqual({
      success: false,
      error:
        "Agent billing-agent failed (orchestration_timeout): Agent billing-agent did not finish within 45 seconds.",
    });
    expect(result?.usage.total_tokens).toBeGreaterThan(30);
    expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
  });

  test.each(["the caller cancels", "the reader leaves"])("nothing stays open when %s", async (how) => {
    const caller = new AbortController();
    const run = desk({
      agents: { ...slow, "tech-agent": { calls: ["Quick."] } },
      calls: [asks("", ask("tech"), ask("billing")), "never"],
    });
    const events = run.start({ cancelledBy: [caller.signal] });
    for (let event = await events.next(); ; event = await events.next()) {
      if (event.done || event.value.type === "step") break;
    }
    expect(run.openAnswers()).toBe(1);
    if (how === "the caller cancels") {
      caller.abort();
      expect((await events.next()).value).toMatchObject({ type: "tool_result", tool: "billing", ok: false });
      expect(await events.next().catch(({ code }) => code)).toBe("run_cancelled");
    } else await events.return();
    await settle();
    expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
    expect(run.finished.map(({ agent, status }) => `${agent} ${status}`).sort()).toEqual([
      "billing-agent cancelled",
      "staged cancelled",
      "tech-agent ok",
    ]);
    expect(run.traces[0]?.status).toBe("ERROR");
    expect(await run.turns()).toEqual([]);
  });
});
