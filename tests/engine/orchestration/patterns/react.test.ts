import { describe, expect, test } from "bun:test";
import type { ModelEvent } from "../../../../src/engine/models/model.ts";
import type { ToolResult } from "../../../../src/engine/tools/tool.ts";
import { endOfAnswer, type ScriptedCall } from "../../../support/scripted-model.ts";
import { asks, type StageOptions, says, stage, told } from "../../../support/staged-run.ts";

const one: StageOptions["tools"] = [{ name: "one", execute: async () => ({ success: true, data: 1 }) }];

const staged = (calls: readonly ScriptedCall[], options: StageOptions & { iterations?: number } = {}) =>
  stage({ ...options, calls, spec: { orchestration: { max_iterations: options.iterations ?? 4 } } });

describe("the answer", () => {
  const empty = [endOfAnswer];
  const filtered: ModelEvent = { ...endOfAnswer, finish: "content_filter" };
  const table: [
    name: string,
    calls: ScriptedCall[],
    iterations: number,
    response: string | { code: string },
  ][] = [
    ["is the model's text", ["Hi."], 4, "Hi."],
    [
      "has what was said before a tool call",
      [asks("One moment.", "one"), "Done."],
      4,
      "One moment.\n\nDone.",
    ],
    ["joins what already ends in a line", [asks("Look:\n", "one"), "Done."], 4, "Look:\nDone."],
    ["joins what already ends in a space", [asks("Look: ", "one"), "Done."], 4, "Look: Done."],
    ["begins with the first word that was said", [asks("", "one"), "Done."], 4, "Done."],
    ["may all have been said before the last call", [asks("All said.", "one"), empty], 4, "All said."],
    ["passes over empty pieces", [asks("A", "one"), says("", "B", ""), "C"], 4, "A\n\nB"],
    ["gets no gap from an empty piece", [asks("A", "one"), says("")], 4, "A"],
    ["may come from the last call allowed", [asks("", "one"), "Enough."], 2, "Enough."],
    ["may come from the only call allowed", ["Hi."], 1, "Hi."],
    ["is missing when tools were wanted to the end", [asks("", "one")], 3, { code: "max_iterations" }],
    [
      "is not what was said on the way to the end",
      [asks("Hm.", "one"), asks("", "one")],
      3,
      { code: "max_iterations" },
    ],
    ["is missing when the last call says nothing", [asks("", "one"), empty], 2, { code: "max_iterations" }],
    ["is missing when the model says nothing at all", [empty], 4, { code: "provider_failed" }],
    ["is missing when the model is cut off by a filter", [[filtered]], 4, { code: "content_refused" }],
    ["may be cut off by a filter in its middle", [[{ type: "text", text: "So" }, filtered]], 4, "So"],
  ];
  test.each(table)("%s", async (_, calls, iterations, response) => {
    const { result, thrown, tokens } = await staged(calls, { tools: one, iterations }).run();
    if (typeof response !== "string") expect(thrown).toMatchObject(response);
    else
      expect({ response: result?.response, tokens, thrown }).toEqual({
        response,
        tokens: response,
        thrown: undefined,
      });
  });

  test("of an agent without tools that says nothing is the provider's failure (502), with any number of calls left", async () => {
    for (const iterations of [1, 4]) {
      const { thrown } = await staged([empty], { iterations }).run();
      expect(thrown).toMatchObject({ code: "provider_failed", status: 502 });
    }
  });
});

describe("the limit of model calls", () => {
  test("the last call alone forbids tools; a tool call in it ends the run with 422", async () => {
    const run = staged([asks("", "one")], { tools: one, iterations: 3 });
    const { thrown, events } = await run.run();
    expect(run.model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "none"]);
    expect(run.model.requests.every(({ tools }) => tools.length === 1)).toBeTrue();
    expect(events.filter(({ type }) => type === "tool_call")).toHaveLength(2);
    expect(thrown).toMatchObject({
      status: 422,
      message: "Agent staged reached 3 model calls without an answer.",
    });
    expect(run.traces[0]?.spans.filter(({ status }) => status === "ERROR").map(({ name }) => name)).toEqual([
      "agent.run",
      "orchestration",
    ]);
  });

  test("calls that the last answer asks for all the same are not carried out", async () => {
    const run = staged([asks("", "one"), asks("Well.", "one")], { tools: one, iterations: 2 });
    const { result } = await run.run();
    expect(result).toMatchObject({ response: "Well.", metadata: { iterations: 2 } });
    expect(run.toolsExecuted).toHaveLength(1);
  });
});

test("what a provider wants back with its turn goes back with it", async () => {
  const echo = { of: "lab/m", content: [{ type: "thinking", thinking: "Hm.", signature: "s" }] };
  const asking = asks("One moment.", "one").map((event) =>
    event.type === "end" ? { ...event, echo } : event,
  );
  const run = staged([asking, "Done."], { tools: one });
  await run.run();
  expect(run.model.requests[1]?.messages[2]).toEqual({
    role: "assistant",
    content: "One moment.",
    toolCalls: [expect.anything()],
    echo,
  });
});

describe("tool calls", () => {
  test("run side by side, and come back in the order in which they were asked for", async () => {
    const gates = new Map(["a", "b", "c"].map((name) => [name, Promise.withResolvers<void>()]));
    const begun: string[] = [];
    const run = staged([asks("", "a", "b", "c", "a"), "ok"], {
      tools: [...gates].map(([name, gate]) => ({
        name,
        async execute() {
          begun.push(name);
          if (begun.length === 4) for (const last of ["c", "b", "a"]) gates.get(last)?.resolve();
          await gate.promise;
          return { success: true, data: name };
        },
      })),
    });
    const { events, result } = await run.run();
    expect(begun).toEqual(["a", "b", "c", "a"]);
    const seen = events.flatMap((event) =>
      event.type === "tool_call" || event.type === "tool_result"
        ? `${event.type} ${event.id} ${event.tool}`
        : [],
    );
    expect(seen).toEqual([
      "tool_call c0 a",
      "tool_call c1 b",
      "tool_call c2 c",
      "tool_call c3 a",
      "tool_result c0 a",
      "tool_result c1 b",
      "tool_result c2 c",
      "tool_result c3 a",
    ]);
    expect(told(run.model)).toEqual([
      "system: You are staged.",
      "user: hi",
      "assistant: ",
      "tool: a",
      "tool: b",
      "tool: c",
      "tool: a",
    ]);
    expect(run.model.requests[1]?.messages.slice(3)).toMatchObject([
      { role: "tool", callId: "c0", name: "a" },
      { role: "tool", callId: "c1", name: "b" },
      { role: "tool", callId: "c2", name: "c" },
      { role: "tool", callId: "c3", name: "a" },
    ]);
    expect(run.model.requests[1]?.messages[2]).toMatchObject({
      toolCalls: [{ id: "c0" }, { id: "c1" }, { id: "c2" }, { id: "c3" }],
    });
    expect(result?.metadata.tools_called).toEqual(["a", "b", "c"]);
    expect(result?.tool_calls).toHaveLength(4);
  });

  const failures: [
    name: string,
    call: Parameters<typeof asks>[1],
    tools: StageOptions["tools"],
    error: string,
    counted: string,
  ][] = [
    ["of a tool that isn't there", "two", one, "There is no tool two. Tools: one.", "unknown"],
    [
      "of any tool when there is none",
      "two",
      [],
      "There is no tool two. This agent has no tools.",
      "unknown",
    ],
    [
      "with arguments that are not JSON",
      { name: "one", unparsable: '{"a":' },
      one,
      "The arguments of one were no JSON object, or had over 20,000 values or 2 MiB; send them again as one.",
      "one",
    ],
    [
      "of a tool that says it failed",
      "one",
      [{ name: "one", execute: async () => ({ success: false, error: "No such city." }) }],
      "No such city.",
      "one",
    ],
    [
      "of a tool that throws",
      "one",
      [
        {
          name: "one",
          execute: () => {
            throw new Error("stack");
          },
        },
      ],
      "one failed unexpectedly.",
      "one",
    ],
  ];
  test.each(failures)(
    "a call %s is a failed result that the model reads",
    async (_, call, tools, error, counted) => {
      const run = staged([asks("", call ?? ""), "I see."], { tools: tools ?? [] });
      const { events, result } = await run.run();
      const output: ToolResult = { success: false, error };
      expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ ok: false, output });
      expect(told(run.model).at(-1)).toBe(`tool: ${JSON.stringify(output)}`);
      expect(result).toMatchObject({ response: "I see.", tool_calls: [{ output }] });
      expect(run.toolsExecuted).toMatchObject([{ tool: counted, ok: false }]);
      const span = run.traces[0]?.spans.find(({ name }) => name === "tool.call");
      expect(span).toMatchObject({ status: "ERROR", attributes: { ok: false } });
      expect(run.traces[0]?.status).toBe("OK");
    },
  );

  test("a tool that takes too long fails by itself, and the run continues", async () => {
    const run = staged([asks("", "slow"), "Too bad."], {
      tools: [{ name: "slow", execute: () => new Promise(() => {}), timeoutMs: 5000 }],
    });
    const playing = run.run();
    await run.clock.advance(5000);
    const { result } = await playing;
    expect(result).toMatchObject({
      response: "Too bad.",
      timing: { tool_ms: 5000 },
      tool_calls: [{ output: { success: false, error: "slow took longer than 5 seconds and was stopped." } }],
    });
  });

  test("the model reads of a long result what fits, callers get all of it", async () => {
    const data = "word ".repeat(2000);
    const run = stage({
      spec: { orchestration: { max_tool_result_tokens: 100 } },
      calls: [asks("", "long"), "ok"],
      tools: [{ name: "long", execute: async () => ({ success: true, data }) }],
    });
    const { result, events } = await run.run();
    const read = told(run.model).at(-1) ?? "";
    expect(read.length).toBeLessThan(600);
    expect(read).toEndWith("of 10000 characters left out]");
    expect(result?.tool_calls[0]?.output).toEqual({ success: true, data });
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
      output: { success: true, data },
    });
  });

  test("a tool learns whose run it works for, and hears when that is over", async () => {
    let seen: unknown;
    const run = staged([asks("", { name: "one", input: { a: 1 } }), "ok"], {
      tools: [
        {
          name: "one",
          async execute(input, { tenant, agent, sessionId, signal }) {
            seen = { input, tenant, agent, sessionId, aborted: signal.aborted };
            return { success: true, data: null };
          },
        },
      ],
    });
    await run.run({ tenant: "acme", sessionId: "s7" });
    expect(seen).toEqual({
      input: { a: 1 },
      tenant: "acme",
      agent: "staged",
      sessionId: "s7",
      aborted: false,
    });
  });
});
