import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { daemonClient } from "../../../../../src/contracts/daemon/client.ts";
import { type ContextPart, ContextView } from "../../../../../src/contracts/daemon/memory/context-window.ts";
import { agentFile, type DaemonOptions, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";

const spec = {
  prompts: { system: "You are kind.", context: "It is {{ session_id }}." },
  tools: [{ name: "datetime_now", type: "builtin" }],
};

const start = (own: object, more: Partial<DaemonOptions> = {}) =>
  startDaemon({
    agents: { "helper.agent.yaml": agentFile("helper", { ...spec, ...own }) },
    models: { lab: ({ body }) => ({ text: `re ${body.messages.length}` }) },
    ...more,
  });

const say = async (daemon: TestDaemon, ...queries: string[]) => {
  for (const query of queries) {
    expect((await daemon.run("helper", { query, session_id: "s" })).status).toBe(200);
    await daemon.clock.advance(1000);
  }
};

const view = async (daemon: TestDaemon, query?: string): Promise<ContextView> => {
  const found = await daemonClient({ fetch, baseUrl: daemon.url }).contextWindow("helper", "s", query);
  expect([...Value.Errors(ContextView, found)]).toEqual([]);
  return found;
};

const kindsOf = ({ parts }: ContextView) => parts.map(({ kind }) => kind);
const textOf = (parts: readonly ContextPart[]) => parts.map(({ text }) => text).join("\n\n");

/** Returns the messages that consist of the parts. */
function messagesOf({ parts }: ContextView): { role: string; content: string }[] {
  const own = parts.filter(({ within }) => within === undefined);
  const of = (...kinds: ContextPart["kind"][]) => own.filter(({ kind }) => kinds.includes(kind));
  const last = of("memories", "episodes", "passages", "context", "query");
  const spoken = [
    ...of("turn").map(({ role, text }) => ({ role, content: text })),
    { role: "user", content: textOf(last) },
  ];
  const [first, ...others] = spoken;
  const summary = of("summary");
  const opened = first && { ...first, content: textOf([...summary, { text: first.content } as ContextPart]) };
  return [
    ...of("system").map(({ text }) => ({ role: "system", content: text })),
    ...(opened ? [opened] : []),
    ...others,
  ];
}

/** Returns the request of the agent's last run; a summary is requested in a conversation of its own. */
const asked = (daemon: TestDaemon) =>
  daemon.models.lab.requests.map(({ body }) => body).findLast(({ tools }) => tools !== undefined);

/** Resolves once the session is summarized up to this message. */
async function summedUp(daemon: TestDaemon, seq: number): Promise<void> {
  for (;;) {
    const { body } = await daemon.call("GET", "/v1/memory/helper/history/s?full=true");
    if (body.summary?.up_to_seq >= seq) return;
    await daemon.clock.advance(100);
  }
}

/** Checks that the preview equals the next run's request. */
async function expectForetold(daemon: TestDaemon, query: string): Promise<ContextView> {
  const foretold = await view(daemon, query);
  expect(await view(daemon, query)).toEqual(foretold);
  await say(daemon, query);
  expect(messagesOf(foretold)).toEqual(asked(daemon)?.messages as never);
  const tools = foretold.parts.filter(({ kind }) => kind === "tool");
  expect(tools.map(({ name }) => name)).toEqual(
    asked(daemon)?.tools?.map((tool) => tool.function.name) ?? [],
  );
  const parts = foretold.parts.filter(({ within }) => within === undefined);
  const sum = parts.reduce((total, { tokens }) => total + tokens, 0);
  expect(Math.abs(sum - foretold.used_tokens)).toBeLessThan(12);
  return foretold;
}

test("the parts are, in their order, what the next run sends", async () => {
  await using daemon = await start({});
  await expectForetold(daemon, "one");
  const foretold = await expectForetold(daemon, "two");
  expect(kindsOf(foretold)).toEqual(["system", "tool", "turn", "turn", "context", "query"]);
  expect(foretold).toMatchObject({
    window_tokens: 8192,
    reserved: { answer_tokens: 1024, tool_result_tokens: expect.any(Number) },
    turns: {
      strategy: "sliding_window",
      total: 2,
      kept: 2,
      left_out: 0,
      left_out_by_strategy: 0,
      left_out_by_window: 0,
    },
    faults: [],
  });
  expect(foretold.used_share).toBeCloseTo(foretold.used_tokens / 8192, 3);
  expect(foretold.parts[2]?.at).toBe(new Date(daemon.clock.now().getTime() - 2000).toISOString());
});

test("a recalled text appears where the run puts it", async () => {
  const memory = { semantic: { backend: "memory" }, episodic: {} };
  await using daemon = await start({ memory });
  for (const text of ["The marble is blue.", "Tea is at four."]) {
    await daemon.call("POST", "/v1/memory/helper/semantic", { body: { text } });
  }
  await daemon.call("POST", "/v1/memory/helper/episodes", {
    body: { event_type: "note", summary: "The marble was lost." },
  });
  const foretold = await expectForetold(daemon, "Which colour has the marble?");
  expect(kindsOf(foretold)).toEqual(["system", "tool", "memories", "episodes", "context", "query"]);
  expect(foretold.parts[2]?.text).toContain("The marble is blue.");
});

test("a text that a template shows is counted once, in the part that shows it", async () => {
  const prompts = { system: "You know: {{ semantic_context }}", context: "And: {{ episodic_context }}" };
  await using daemon = await start({ prompts, memory: { semantic: { backend: "memory" }, episodic: {} } });
  await daemon.call("POST", "/v1/memory/helper/semantic", { body: { text: "The marble is blue." } });
  await daemon.call("POST", "/v1/memory/helper/episodes", {
    body: { event_type: "note", summary: "The marble was lost." },
  });
  const foretold = await expectForetold(daemon, "Which colour has the marble?");
  expect(
    foretold.parts.flatMap(({ kind, within }) => (within === undefined ? [] : [[kind, within]])),
  ).toEqual([
    ["memories", "system"],
    ["episodes", "context"],
  ]);
});

test("without a query nothing is looked up by one", async () => {
  await using daemon = await start({ memory: { semantic: { backend: "memory" }, episodic: {} } });
  await daemon.call("POST", "/v1/memory/helper/semantic", { body: { text: "The marble is blue." } });
  expect(kindsOf(await view(daemon))).toEqual(["system", "tool", "context"]);
});

test("turns that there is no room for are counted, and a summary is shown", async () => {
  await using daemon = await start({
    memory: { conversational: { strategy: "summary", max_turns: 2, backend: "memory" } },
  });
  await say(daemon, "one", "two", "three");
  await summedUp(daemon, 4);
  const foretold = await expectForetold(daemon, "four");
  expect(foretold.turns).toEqual({
    strategy: "summary",
    total: 6,
    kept: 2,
    left_out: 4,
    left_out_by_strategy: 4,
    left_out_by_window: 0,
  });
  expect(kindsOf(foretold)).toContain("summary");
});

test("guardrails work on the query as in a run", async () => {
  const guardrails = { input: [{ type: "pii_detection", action: "redact" }] };
  await using daemon = await start({ guardrails });
  const foretold = await expectForetold(daemon, "Write to ann@example.com.");
  expect(foretold.parts.at(-1)?.text).not.toContain("ann@example.com");
});

test("the view names sources that it could not read", async () => {
  const server = { name: "shelf", type: "mcp", config: { transport: "stdio", command: "/nowhere/shelf" } };
  await using daemon = await start({ tools: [server] });
  for (;;) {
    const { body } = await daemon.call("GET", "/v1/agents/helper");
    if (body.mcp_servers[0].status === "down") break;
  }
  expect((await view(daemon, "hi")).faults).toEqual([
    "The tools of the MCP server shelf are not known: it is down.",
  ]);
});

test("of a long text the beginning is shown, and its whole length", async () => {
  await using daemon = await start({ prompts: { system: "ñ".repeat(5000) } });
  const [system] = (await view(daemon)).parts;
  expect(system).toMatchObject({ kind: "system", text: "ñ".repeat(4000), characters: 5000 });
});

test("looking changes nothing and asks no model", async () => {
  await using daemon = await start({});
  await say(daemon, "one");
  const before = await Promise.all(
    ["/v1/memory/helper/history/s", "/v1/traces", "/v1/metrics", "/v1/costs/summary"].map((path) =>
      daemon.call("GET", path),
    ),
  );
  await view(daemon, "two");
  const after = await Promise.all(
    ["/v1/memory/helper/history/s", "/v1/traces", "/v1/metrics", "/v1/costs/summary"].map((path) =>
      daemon.call("GET", path),
    ),
  );
  expect(after.map(({ body }) => body)).toEqual(before.map(({ body }) => body));
  expect(daemon.models.lab.requests).toHaveLength(1);
});

test("the view refuses what a run refuses: an unknown agent is 404, an invalid request 400", async () => {
  await using daemon = await start({
    guardrails: { input: [{ type: "max_length", action: "block", max_chars: 20 }] },
  });
  const get = (path: string) => daemon.call("GET", `/v1/memory/${path}`);
  expect(await get("nobody/context/s")).toMatchObject({ status: 404, body: { error: "agent_not_found" } });
  const blocked = await get(`helper/context/s?query=${"x".repeat(30)}`);
  expect(blocked).toMatchObject({ body: { error: "guardrail_blocked" } });
  expect(await get(`helper/context/s?query=${"x".repeat(5000)}`)).toMatchObject({
    status: 400,
    body: { error: "invalid_request" },
  });
  expect(await get(`helper/context/${"s".repeat(256)}`)).toMatchObject({ status: 400 });
});
