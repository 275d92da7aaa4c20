import { describe, expect, test } from "bun:test";
import { settle } from "../../../support/fake-clock.ts";
import { asks, type StageOptions, says, told, untilAbort } from "../../../support/staged-run.ts";
import { kinds, member, toolNames, travel } from "../../../support/travel-swarm.ts";

describe("a hand-off", () => {
  test("switches prompt, models and tools, and the conversation goes on", async () => {
    const run = travel({
      calls: [asks("Let me see.", { name: "flights", input: { reason: " needs a flight ", to: "Lima" } })],
      agents: {
        flights: {
          spec: {
            prompts: { system: "You book flights." },
            tools: [{ name: "cache_store", type: "builtin" }],
          },
          calls: [
            asks("", { name: "cache_store", input: { action: "set", key: "seat", value: "4A" } }),
            says("Seat ", "4A."),
          ],
        },
      },
    });
    const { events, result, tokens } = await run.run({ query: "to Lima" });
    expect(kinds(events)).toEqual([
      "tool_call flights",
      "tool_result flights",
      "staged → flights",
      "tool_call cache_store",
      "tool_result cache_store",
      "done",
    ]);
    expect(events.find(({ type }) => type === "handoff")).toEqual({
      type: "handoff",
      from: "staged",
      to: "flights",
      reason: "needs a flight",
    });
    expect(tokens).toBe("Let me see.\n\nSeat 4A.");
    expect(events.filter(({ type }) => type === "token").slice(-2)).toEqual([
      { type: "token", content: "Seat " },
      { type: "token", content: "4A." },
    ]);
    expect(result).toMatchObject({
      agent: "staged",
      response: tokens,
      metadata: { pattern: "swarm", iterations: 3, tools_called: ["flights", "cache_store"] },
      usage: { total_tokens: 45 },
    });
    expect(toolNames(run, "staged")).toEqual(["datetime_now", "flights", "hotels"]);
    expect(toolNames(run, "flights")).toEqual(["cache_store", "hotels", "staged"]);
    const [system, ...conversation] = told(run.modelOf("flights"));
    expect(system).toStartWith("system: You book flights.\n\nYou share this conversation");
    expect(conversation).toEqual([
      "user: to Lima",
      "assistant: Let me see.",
      'tool: {"handed_over_to":"flights","note":"The conversation was handed over to flights, who goes on with it."}',
      "assistant: ",
      'tool: {"key":"seat","stored":true}',
    ]);
    expect((await run.turns()).map(({ content }) => content)).toEqual(["to Lima", tokens]);
    expect(await run.turns("s", "flights")).toEqual([]);
  });

  test("may hand over to a third, and back to the first", async () => {
    const run = travel({
      calls: [asks("", "flights"), "All done."],
      agents: {
        flights: { calls: [asks("", { name: "hotels", input: { reason: "" } })] },
        hotels: { calls: [asks("Room 5.", "staged")] },
      },
    });
    const { events, result, tokens } = await run.run();
    expect(kinds(events).filter((kind) => kind.includes("→"))).toEqual([
      "staged → flights",
      "flights → hotels",
      "hotels → staged",
    ]);
    expect(events.filter(({ type }) => type === "handoff").some((event) => "reason" in event)).toBeFalse();
    expect([result?.response, tokens]).toEqual(["Room 5.\n\nAll done.", "Room 5.\n\nAll done."]);
    const [first, last] = run.model.requests.map(({ messages: [system] }) => system?.content);
    expect(first).toBe(last ?? "");
  });

  test("is described by its entry, and accepts any arguments of the model", async () => {
    const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const run = travel({
      spec: { tools: [member("flights", { description: "Books flights.", parameters }), member("hotels")] },
      calls: [asks("", { name: "flights", input: { town: 5, reason: ["x"] } })],
    });
    const { events } = await run.run();
    expect(kinds(events)).toContain("staged → flights");
    expect(run.model.requests[0]?.tools).toEqual([
      {
        name: "flights",
        description: "Hands the conversation over to flights: Books flights.",
        parameters,
      },
      {
        name: "hotels",
        description: "Hands the conversation over to hotels.",
        parameters: {
          type: "object",
          properties: { reason: { type: "string", description: expect.any(String) } },
        },
      },
    ]);
  });

  test("tells who takes over what `context_transform` makes of it", async () => {
    const tool = member("flights", {
      config: { agent: "flights", context_transform: "{{ user_query }}, urgent: {{ urgent }}" },
    });
    const run = travel({
      spec: { tools: [tool] },
      calls: [asks("", { name: "flights", input: { urgent: true } })],
    });
    await run.run({ query: "to Lima" });
    expect(told(run.modelOf("flights")).at(-1)).toContain('"told":"to Lima, urgent: true"');
  });

  test("comes after the other tools of its turn; of several the first one counts", async () => {
    const run = travel({
      calls: [asks("", "hotels", "datetime_now", "flights", "hotels")],
    });
    const { events, result } = await run.run();
    expect(kinds(events).slice(4)).toEqual([
      "tool_result hotels",
      "tool_result datetime_now",
      "tool_result flights",
      "tool_result hotels",
      "staged → hotels",
      "done",
    ]);
    expect(result?.response).toBe("A room.");
    const late = (name: string) => ({
      success: false,
      error: `The conversation was not handed over to ${name}: in the same turn it was handed over to hotels.`,
    });
    expect(result?.tool_calls.map(({ output }) => output)).toMatchObject([
      { success: true },
      { success: true },
      late("flights"),
      late("hotels"),
    ]);
    expect(run.modelOf("flights").requests).toEqual([]);
  });

  test.each([
    ["is not loaded", { tools: [member("flights", { config: { agent: "nobody" } })] }, {}, "no agent named"],
    [
      "can't render its prompt",
      {},
      { flights: { spec: { prompts: { system: "{% for n in range(99999999) %}x{% endfor %}" } } } },
      "Template spec.prompts.system",
    ],
  ])("to a member that %s fails, and the conversation stays", async (_, spec, agents, error) => {
    const run = travel({ spec, agents, calls: [asks("", "flights"), "I do it myself."] });
    const { events, result } = await run.run();
    expect(kinds(events).filter((kind) => kind.includes("→"))).toEqual([]);
    expect(result).toMatchObject({
      response: "I do it myself.",
      tool_calls: [{ tool: "flights", output: { success: false, error: expect.stringContaining(error) } }],
    });
  });

  test("that is only proposed is not made", async () => {
    const run = travel({
      spec: { tools: [member("flights", { mode: "propose" })] },
      calls: [asks("", { name: "flights", input: { reason: "r" } }), "Not yet."],
    });
    const { events, result } = await run.run();
    expect(kinds(events)).toEqual(["tool_call flights", "tool_result flights", "done"]);
    expect(result?.propuestas).toEqual([
      {
        tool: "flights",
        tipo: "agent",
        destino: "flights",
        operacion: "handoff",
        argumentos: { reason: "r" },
      },
    ]);
  });

  test("keeps to the rate limit of its entry, for each speaker", async () => {
    const run = travel({
      spec: {
        tools: [member("flights", { rate_limit: { max_calls: 1, window_seconds: 60 } }), member("hotels")],
      },
      calls: [asks("", "flights"), asks("", "flights"), "I do it myself."],
      agents: { flights: { calls: [asks("", "staged")] } },
    });
    const { result } = await run.run();
    expect(result?.response).toBe("I do it myself.");
    expect(told(run.model).at(-1)).toContain("flights was called too often");
  });

  test("goes through the output guardrails like all else", async () => {
    const run = travel({
      spec: { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } },
      calls: [asks("", { name: "flights", input: { reason: "ann@example.com wants it" } })],
      agents: { flights: { calls: ["Wrote to ann@example.com."] } },
    });
    const { events, result, thrown } = await run.run();
    expect(thrown).toBeUndefined();
    expect(JSON.stringify([events, result])).not.toContain("ann@");
    expect(result?.response).toBe("Wrote to [EMAIL].");
  });
});

describe("the end", () => {
  const pingPong: StageOptions = {
    calls: [asks("", "flights")],
    agents: { flights: { calls: [asks("", "staged")] } },
  };

  test("comes with the last model call, which may not hand over", async () => {
    const run = travel({ ...pingPong, orchestration: { max_iterations: 4 } });
    const { thrown, events } = await run.run();
    expect(thrown).toMatchObject({ code: "max_iterations" });
    expect(kinds(events).filter((kind) => kind.includes("→"))).toHaveLength(3);
    const requests = [...run.model.requests, ...run.modelOf("flights").requests];
    expect(requests.map(({ toolChoice }) => toolChoice).sort()).toEqual(["auto", "auto", "auto", "none"]);
    expect(run.traces[0]?.spans.filter(({ status }) => status === "ERROR").map(({ name }) => name)).toEqual([
      "agent.run",
      "orchestration",
      "swarm.member",
    ]);
  });

  test("comes when agents send each other the user: after sixteen times there are no more handovers", async () => {
    const run = travel({
      ...pingPong,
      calls: [...Array.from({ length: 9 }, () => asks("", "flights")), "I stay."],
      orchestration: { max_iterations: 100 },
    });
    const { result, events } = await run.run();
    expect(kinds(events).filter((kind) => kind.includes("→"))).toHaveLength(16);
    expect(result?.response).toBe("I stay.");
    expect(told(run.model).at(-1)).toContain("handed over 16 times already");
  });

  test("of a member that says nothing is the provider's failure", async () => {
    const run = travel({ agents: { flights: { calls: [says()] } } });
    expect(await run.run()).toMatchObject({ thrown: { code: "provider_failed" } });
  });

  test("of tokens is that of the agent that was asked", async () => {
    const run = travel({ orchestration: { max_run_tokens: 300 } });
    const { thrown } = await run.run({ query: "word ".repeat(400) });
    expect(thrown).toMatchObject({ code: "budget_exceeded" });
  });

  test.each(["the deadline", "the caller", "the reader"])("by %s leaves nothing open", async (who) => {
    const caller = new AbortController();
    const run = travel({
      orchestration: { timeout_seconds: 20 },
      agents: {
        flights: {
          calls: [
            async function* (_, signal) {
              yield { type: "text", text: "Let me" };
              await untilAbort(signal);
            },
          ],
        },
      },
    });
    const events = run.start({ cancelledBy: [caller.signal] });
    for (let event = await events.next(); ; event = await events.next()) {
      if (event.done || event.value.type === "token") break;
    }
    expect(run.openAnswers()).toBe(1);
    const failure = who === "the reader" ? events.return() : events.next().catch(({ code }) => code);
    if (who === "the deadline") await run.clock.advance(20_000);
    if (who === "the caller") caller.abort();
    const codes = new Map([
      ["the deadline", "orchestration_timeout"],
      ["the caller", "run_cancelled"],
    ]);
    const code = codes.get(who);
    if (code !== undefined) expect(await failure).toBe(code);
    await settle();
    expect([run.openAnswers(), run.clock.pending]).toEqual([0, 0]);
    expect(await run.turns()).toEqual([]);
    expect(run.traces[0]?.spans.filter(({ status }) => status === "OK").map(({ name }) => name)).toEqual([
      "memory_build",
      "prompt_render",
      "swarm.member",
      "llm.complete",
      "tool.call",
    ]);
  });
});

test("each run of a session begins with the agent that was asked, which knows all that was said", async () => {
  const run = travel({ calls: [asks("", "flights"), "Welcome back."] });
  await run.run({ query: "one" });
  const { result } = await run.run({ query: "two" });
  expect(result?.response).toBe("Welcome back.");
  expect(told(run.model).slice(1)).toEqual(["user: one", "assistant: Booked.", "user: two"]);
});
