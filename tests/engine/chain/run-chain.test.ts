import { expect, test } from "bun:test";
import { chainLinks } from "../../support/chain-links.ts";
import type { ScriptedCall } from "../../support/scripted-model.ts";
import {
  asks,
  memoryConversations,
  type Stage,
  type StagedAgent,
  says,
  stage,
} from "../../support/staged-run.ts";

/** An agent with these links and one answer, by default its name. */
function agent(says: string, ...on_complete: Record<string, unknown>[]): StagedAgent {
  return { calls: [says], ...(on_complete.length === 0 ? {} : { spec: { chain: { on_complete } } }) };
}

/** Returns the last question to an agent. */
function asked(staged: Stage, name: string): string | undefined {
  return staged.modelOf(name).requests.at(-1)?.messages.at(-1)?.content;
}

test("the links run after the answer, which stays the first agent's", async () => {
  const staged = stage({
    ...agent("Dear Ann.", { agent: "translate" }, { agent: "send" }),
    agents: { translate: agent("Querida Ana."), send: agent("Sent.") },
  });
  const { result, tokens, events } = await staged.run();
  expect([result?.response, tokens]).toEqual(["Dear Ann.", "Dear Ann."]);
  expect(result?.chain).toEqual({
    run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    status: "completed",
    mode: "sequential",
    links: [
      {
        agent: "translate",
        depth: 1,
        via: "staged",
        status: "success",
        answer: "Querida Ana.",
        duration_ms: 0,
      },
      { agent: "send", depth: 1, via: "staged", status: "success", answer: "Sent.", duration_ms: 0 },
    ],
  });
  expect(
    events.map((event) => (event.type === "step" ? `${event.name}: ${event.content}` : event.type)),
  ).toEqual(["token", "translate: Querida Ana.", "send: Sent.", "done"]);
});

test("in turn, a link without an input is asked the answer so far", async () => {
  const staged = stage({
    ...agent(
      "one",
      { agent: "b", on_error: "continue" },
      { agent: "c", on_error: "continue" },
      { agent: "d" },
    ),
    agents: { b: agent("two"), c: { calls: [new Error("broken")] }, d: agent("four") },
  });
  await staged.run();
  expect(asked(staged, "b")).toBe("one");
  expect(asked(staged, "c")).toBe("two");
  expect(asked(staged, "d")).toBe("two");
});

test("at once, it is asked the agent's answer, and sees no step of the others", async () => {
  const staged = stage({
    calls: ["one"],
    spec: {
      chain: {
        mode: "parallel",
        on_complete: [
          { agent: "b" },
          { agent: "c" },
          { agent: "d", input: "{{ steps.b.answer }}", on_error: "continue" },
        ],
      },
    },
    agents: { b: agent("two"), c: agent("three"), d: agent("four") },
  });
  const { result } = await staged.run();
  expect(asked(staged, "b")).toBe("one");
  expect(asked(staged, "c")).toBe("one");
  expect(chainLinks(result?.chain)[2]).toEndWith("steps.b.answer is missing.");
  expect([result?.chain?.mode, result?.chain?.status]).toEqual(["parallel", "partial"]);
});

test("templates see the answer, its data, the question, the context and the steps before", async () => {
  const staged = stage({
    calls: ['{"priority": "high"}'],
    spec: {
      output_schema: { priority: "string" },
      chain: {
        on_complete: [
          {
            agent: "b",
            when: "{{ output.data.priority == 'high' }}",
            input: "{{ output.answer }} {{ when }}",
          },
          { agent: "c", when: "{{ output.data.priority == 'low' }}" },
          {
            agent: "d",
            input:
              "{{ trigger.query }}/{{ trigger.session_id }}/{{ trigger.context.lang }}/{{ steps.b.answer }}/{{ steps.b.status }}/{{ steps.b.data }}/{{ steps.c.status }}",
          },
        ],
      },
    },
    agents: { b: agent("two"), c: agent("three"), d: agent("four") },
  });
  const { result } = await staged.run({ query: "Help", context: { lang: "es", _internal: 1 } });
  expect(result?.data).toEqual({ priority: "high" });
  expect(asked(staged, "b")).toBe('{"priority": "high"} true');
  expect(asked(staged, "d")).toBe("Help/s/es/two/success/none/skipped");
  expect(chainLinks(result?.chain)).toEqual([
    "1 staged → b: success, two",
    "1 staged → c: skipped, condition_false",
    "1 staged → d: success, four",
  ]);
});

test.each([
  ["when", { when: "{{ output.data.priority == 'high' }}" }, "output.data.priority"],
  ["when", { when: "output.data.priority" }, "output.data.priority"],
  ["input", { input: "About {{ output.data.priority }}" }, "output.data.priority"],
  ["input", { input: "{{ steps.nobody.answer }}" }, "steps.nobody.answer"],
  ["input", { input: "{{ trigger.context.lang }}" }, "trigger.context.lang"],
])("a missing field in %s fails that link by name: %j", async (key, link, name) => {
  const staged = stage({
    ...agent("one", { agent: "b", on_error: "continue", ...link }, { agent: "c" }),
    agents: { b: agent("two"), c: agent("three") },
  });
  const { result } = await staged.run();
  const [first, second] = chainLinks(result?.chain);
  expect(first).toStartWith(`1 staged → b: error, Template spec.chain.on_complete[0].${key}, line 1`);
  expect(first).toEndWith(`${name} is missing.`);
  expect(second).toBe("1 staged → c: success, three");
  expect(staged.modelOf("b").requests).toEqual([]);
});

test("the data of a link's answer is in its link, and in the steps of the next", async () => {
  const staged = stage({
    ...agent("one", { agent: "b" }, { agent: "c", input: "{{ steps.b.data.sum }}" }),
    agents: {
      b: { calls: ['{"sum": 3}'], spec: { output_schema: { sum: "number" } } },
      c: agent("three"),
    },
  });
  const { result } = await staged.run();
  expect(result?.chain?.links.map(({ data }) => data)).toEqual([{ sum: 3 }, undefined]);
  expect(asked(staged, "c")).toBe("3");
});

test("a linked agent's own chain runs after it, one deeper, as if that agent had been asked", async () => {
  const staged = stage({
    ...agent("one", { agent: "b", input: "Ask b" }, { agent: "d", input: "{{ steps.c.answer }}" }),
    agents: {
      b: agent("two", { agent: "c", input: "{{ trigger.query }}, {{ output.answer }}" }),
      c: agent("three"),
      d: agent("four"),
    },
  });
  const { result } = await staged.run();
  expect(chainLinks(result?.chain)).toEqual([
    "1 staged → b: success, two",
    "2 b → c: success, three",
    "1 staged → d: success, four",
  ]);
  expect(asked(staged, "c")).toBe("Ask b, two");
  expect(asked(staged, "d")).toBe("three");
});

test("links deeper than max_depth are skipped, once each", async () => {
  const staged = stage({
    calls: ["one"],
    spec: { chain: { max_depth: 2, on_complete: [{ agent: "b" }] } },
    agents: {
      b: agent("two", { agent: "c" }),
      c: agent("three", { agent: "d" }, { agent: "e", when: "{{ nobody }}" }),
      d: agent("four"),
      e: agent("five"),
    },
  });
  const { result } = await staged.run();
  expect(chainLinks(result?.chain)).toEqual([
    "1 staged → b: success, two",
    "2 b → c: success, three",
    "3 c → d: skipped, max_depth",
    "3 c → e: skipped, max_depth",
  ]);
  expect(result?.chain?.status).toBe("completed");
});

test("chains that lead back, as a later change may have them, fail the link that would", async () => {
  const staged = stage({
    ...agent("one", { agent: "b" }),
    agents: { b: agent("two", { agent: "c" }), c: agent("three", { agent: "b" }, { agent: "staged" }) },
  });
  const { result } = await staged.run();
  expect(chainLinks(result?.chain)).toEqual([
    "1 staged → b: success, two",
    "2 b → c: success, three",
    "3 c → b: error, These chains would lead in a cycle: staged → b → c → b.",
    "3 c → staged: skipped, upstream_stopped",
  ]);
  expect(result?.chain?.status).toBe("partial");
});

test("an agent that another calls as a tool goes through its chain too", async () => {
  const staged = stage({
    calls: [asks("", { name: "ask_b", input: { query: "And you?" } }), "done"],
    spec: { tools: [{ name: "ask_b", type: "agent", config: { agent: "b" } }] },
    agents: { b: agent("two", { agent: "c" }), c: agent("three") },
  });
  const { result, events } = await staged.run();
  expect(result).toMatchObject({
    response: "done",
    tool_calls: [{ output: { success: true, data: "two" } }],
  });
  expect(result).not.toHaveProperty("chain");
  expect(asked(staged, "c")).toBe("two");
  expect(events.map(({ type }) => type)).toEqual(["tool_call", "tool_result", "token", "done"]);
});

test("no more than 256 links run for one answer", async () => {
  const many = (next: string) => Array.from({ length: 17 }, () => ({ agent: next, on_error: "continue" }));
  const staged = stage({
    ...agent("one", ...many("b")),
    agents: { b: agent("two", ...many("c")), c: agent("three") },
  });
  const { result } = await staged.run();
  const ran = staged.modelOf("b").requests.length + staged.modelOf("c").requests.length;
  expect(ran).toBe(256);
  expect(chainLinks(result?.chain)).toContain("1 staged → b: error, Too many links have run for one answer.");
});

test("each agent remembers the session under its own name, and the caller's own conversation stays the caller's", async () => {
  const staged = stage({ ...agent("one", { agent: "b" }), agents: { b: agent("two") } });
  await staged.run({ query: "Hi" });
  const contents = async (name: string) => (await staged.turns("s", name)).map(({ content }) => content);
  expect(await contents("staged")).toEqual(["Hi", "one"]);
  expect(await contents("b")).toEqual(["one", "two"]);
  await staged.run({ query: "More", history: [] });
  expect(await contents("staged")).toEqual(["Hi", "one"]);
  expect(await contents("b")).toEqual(["one", "two"]);
});

test("the turns of the answer are stored before the first link runs", async () => {
  const memory = memoryConversations();
  const seen: number[] = [];
  const staged = stage({
    ...agent("one", { agent: "b" }),
    memory,
    agents: {
      b: {
        calls: [
          async function* () {
            seen.push((await memory.recent({ tenant: "t", agent: "staged", sessionId: "s" }, 9)).length);
            yield* says("two");
          },
        ],
      },
    },
  });
  await staged.run();
  expect(seen).toEqual([2]);
});

test("tokens of the links count in the result, and for each agent by itself", async () => {
  const staged = stage({
    ...agent("one", { agent: "b" }, { agent: "d" }),
    agents: { b: agent("two", { agent: "c" }), c: agent("three"), d: { calls: [new Error("broken")] } },
  });
  const { result } = await staged.run();
  expect(result?.usage).toEqual({ input_tokens: 30, output_tokens: 15, total_tokens: 45 });
  expect(staged.usage.map(({ agent }) => agent)).toEqual(["b", "c", "staged"]);
  const inputs = staged.finished.map(({ agent, inputTokens, status }) => `${agent} ${status} ${inputTokens}`);
  expect(inputs).toEqual(["b ok 10", "c ok 10", "d error 0", "staged ok 10"]);
});

test("calls that links propose are in the result with the agent that made them", async () => {
  const clock = { name: "datetime_now", type: "builtin", mode: "propose" };
  const proposing = { calls: [asks("", "datetime_now"), "two"], spec: { tools: [clock] } };
  const staged = stage({ ...agent("one", { agent: "b" }), agents: { b: proposing } });
  const { result } = await staged.run();
  expect(result?.propuestas).toMatchObject([{ tool: "datetime_now", via: "b" }]);
});

test("what a link says leaves through the guardrails of the agent that was asked, and reaches the next link as it is", async () => {
  const output = [{ type: "pii_detection", action: "redact", entities: ["email"] }];
  const staged = stage({
    calls: ["one"],
    spec: { guardrails: { output }, chain: { on_complete: [{ agent: "b" }, { agent: "c" }] } },
    agents: { b: agent("Ask ann@example.com."), c: agent("three") },
  });
  const { result, events } = await staged.run();
  expect(chainLinks(result?.chain)[0]).toBe("1 staged → b: success, Ask [EMAIL].");
  expect(JSON.stringify(events)).not.toContain("ann@");
  expect(asked(staged, "c")).toBe("Ask ann@example.com.");
});

test("one trace holds everything, each link below the root in the order in which they ran", async () => {
  const staged = stage({
    ...agent("one", { agent: "b" }, { agent: "d", when: "no" }),
    agents: { b: agent("two", { agent: "c" }), c: agent("three"), d: agent("four") },
  });
  const { result } = await staged.run();
  const [trace] = staged.traces;
  expect(staged.traces).toHaveLength(1);
  const spans = new Map(trace?.spans.map((span) => [span.span_id, span]));
  const places = trace?.spans.map((span) => {
    const above = span.parent_span_id === undefined ? "" : spans.get(span.parent_span_id)?.name;
    const { agent = "", via, depth } = span.attributes;
    return `${above} > ${span.name} ${[agent, via, depth].filter((part) => part !== undefined).join(" ")}`;
  });
  expect(places?.filter((place) => /agent\.run|chain\.link/.test(place.split(">")[1] ?? ""))).toEqual([
    " > agent.run staged",
    "agent.run > chain.link b staged 1",
    "chain.link > agent.run b",
    "agent.run > chain.link c b 2",
    "chain.link > agent.run c",
  ]);
  expect(trace?.spans[0]?.attributes).toMatchObject({ status: "ok", chain: "completed" });
  expect(trace?.spans.every(({ status }) => status === "OK")).toBeTrue();
  expect(result?.trace_id).toBe(trace?.trace_id ?? "");
});

test("the whole time is in the result, the time of the answer in the metrics, the time of a link in the link", async () => {
  const slow = (text: string, ms: number): ScriptedCall[] => [
    async function* () {
      const { promise, resolve } = Promise.withResolvers<void>();
      staged.clock.timer(ms, resolve);
      await promise;
      yield* says(text);
    },
  ];
  const staged = stage({
    calls: slow("one", 100),
    spec: { chain: { on_complete: [{ agent: "b" }, { agent: "c" }] } },
    agents: {
      b: { calls: slow("two", 250), spec: { chain: { on_complete: [{ agent: "d" }] } } },
      c: { calls: slow("three", 50) },
      d: { calls: slow("four", 400) },
    },
  });
  const playing = staged.run();
  await staged.clock.advance(1000);
  const { result } = await playing;
  expect(result?.chain?.links.map(({ duration_ms }) => duration_ms)).toEqual([250, 400, 50]);
  expect(result?.timing).toEqual({ total_ms: 800, model_ms: 100, tool_ms: 0 });
  expect(result?.metadata.latency_ms).toBe(800);
  const latencies = staged.finished.map(({ agent, latencyMs, overheadMs }) => [agent, latencyMs, overheadMs]);
  expect(latencies).toEqual([
    ["b", 250, 0],
    ["d", 400, 0],
    ["c", 50, 0],
    ["staged", 100, 0],
  ]);
});

test("an agent with an empty chain says so", async () => {
  const { result } = await stage({ spec: { chain: {} } }).run();
  expect(result?.chain).toMatchObject({ status: "completed", links: [] });
});
