import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type Progress,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { connectMcp } from "../../../support/mcp-client.ts";
import type { ModelStep, RecordedRequest } from "../../../support/model-server.ts";

let daemon: TestDaemon;
let script: (request: RecordedRequest) => ModelStep;

const nested = {
  $id: "https://example.com/weather",
  type: "object",
  properties: { city: { $ref: "#/$defs/place" }, near: { type: "array", items: { $ref: "#" } } },
  required: ["city"],
  $defs: { place: { type: "string", minLength: 1 } },
};

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        identity: { display_name: "The helper", description: "Helps with everything." },
        prompts: { system: "Note: {{ context.note }}" },
        tools: [{ name: "datetime_now", type: "builtin" }],
      }),
      "weather.agent.yaml": agentFile("weather", { output_schema: nested }),
      "guarded.agent.yaml": agentFile("guarded", {
        guardrails: { input: [{ type: "pii_detection", action: "block" }] },
      }),
      "resting.agent.yaml": agentFile("resting"),
      "broken.agent.yaml": agentFile("broken", { knowledge: { pipeline: "handbook" } }),
    },
  });
  await daemon.call("POST", "/v1/agents/resting/pause");
});

afterAll(() => daemon[Symbol.asyncDispose]());

function play(...steps: readonly ModelStep[]): void {
  let played = 0;
  script = () => steps[Math.min(played++, steps.length - 1)] ?? {};
}

const text = (result: object) => (result as { content: { text: string }[] }).content[0]?.text;
const metaOf = (result: { _meta?: Record<string, unknown> | undefined }, key: string) =>
  result._meta?.[key] as Record<string, unknown>;

describe.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])("revision %s", (revision) => {
  test("is agreed on; tools are listed and called", async () => {
    play({ text: "Hello there." });
    await using mcp = await connectMcp(daemon.url, { revision });
    expect(mcp.revision).toBe(revision);
    expect(mcp.client.getServerVersion()).toMatchObject({ name: "argosy", title: "Argosy" });
    expect(mcp.client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, resources: {} });
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["agent_guarded", "agent_helper", "agent_weather"]);
    const result = await mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } });
    expect(result.content).toEqual([{ type: "text", text: "Hello there." }]);
    expect(result.isError).toBeUndefined();
  });
});

test("an unknown revision is answered with the latest", async () => {
  await using mcp = await connectMcp(daemon.url, { revision: "1999-12-31" });
  expect(mcp.revision).toBe("2025-11-25");
});

describe("tools", () => {
  test("only agents that are ready are tools, with title, description and input schema", async () => {
    await using mcp = await connectMcp(daemon.url);
    const { tools } = await mcp.client.listTools();
    expect(tools.find(({ name }) => name === "agent_helper")).toEqual({
      name: "agent_helper",
      title: "The helper",
      description: "Helps with everything.",
      inputSchema: {
        type: "object",
        properties: {
          query: expect.objectContaining({ type: "string" }),
          session_id: expect.objectContaining({ type: "string", maxLength: 255 }),
          context: expect.objectContaining({ type: "object" }),
        },
        required: ["query"],
        additionalProperties: false,
      },
    });
  });

  test("an answer with a shape is structured content that fits the tool's output schema, as the client checks", async () => {
    play({ text: '```json\n{"city": "Rome", "near": [{"city": "Ostia"}]}\n```' });
    await using mcp = await connectMcp(daemon.url);
    await mcp.client.listTools();
    const result = await mcp.client.callTool({ name: "agent_weather", arguments: { query: "where?" } });
    expect(result.structuredContent).toEqual({ data: { city: "Rome", near: [{ city: "Ostia" }] } });
    expect(text(result)).toContain('"city": "Rome"');
  });

  test("the references of an output schema lead where they should", async () => {
    await using mcp = await connectMcp(daemon.url);
    const { tools } = await mcp.client.listTools();
    const weather = tools.find(({ name }) => name === "agent_weather")?.outputSchema;
    const { Ajv2020 } = await import("ajv/dist/2020");
    const validate = new Ajv2020({ strict: false }).compile(weather ?? false);
    const fits = (data: unknown) => validate({ data });
    expect(fits({ city: "Rome", near: [{ city: "Ostia" }] })).toBe(true);
    expect(fits(null)).toBe(true);
    expect(fits({ city: "" })).toBe(false);
    expect(fits({ city: "Rome", near: [{ city: "" }] })).toBe(false);
    expect(fits({ near: [] })).toBe(false);
  });

  test("an answer that misses its shape is not a failure: data is null, with the reason", async () => {
    play({ text: "No idea." });
    await using mcp = await connectMcp(daemon.url);
    await mcp.client.listTools();
    const result = await mcp.client.callTool({ name: "agent_weather", arguments: { query: "where?" } });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toEqual({ data: null, data_error: expect.stringContaining("JSON") });
    expect(text(result)).toBe("No idea.");
  });

  test("calls of one session continue one conversation; session_id names another; context reaches the prompt", async () => {
    play({ text: "Yes." });
    await using mcp = await connectMcp(daemon.url);
    await using other = await connectMcp(daemon.url);
    const ask = (client: typeof mcp, input: Record<string, unknown>) =>
      client.client.callTool({ name: "agent_helper", arguments: input });
    const said = () => daemon.models.lab.requests.at(-1)?.body.messages.map((one) => one.content);
    const first = await ask(mcp, { query: "one", context: { note: "blue" } });
    expect(said()).toEqual(["Note: blue", "one"]);
    await ask(mcp, { query: "two" });
    expect(said()).toEqual(["Note: ", "one", "Yes.", "two"]);
    await ask(other, { query: "three" });
    expect(said()).toEqual(["Note: ", "three"]);
    await ask(mcp, { query: "four", session_id: "apart" });
    expect(said()).toEqual(["Note: ", "four"]);
    const run = metaOf(first, "argosy/run");
    expect(run).toMatchObject({ agent: "helper", provider: "lab", model: "test-model" });
    // The id in traces and memory does not open the MCP session.
    expect(run.session_id).not.toBe(mcp.transport.sessionId);
    const history = await daemon.call("GET", `/v1/memory/helper/history/${run.session_id}`);
    expect(history.body.messages).toHaveLength(4);
  });
});

describe("failures", () => {
  interface Row {
    name: string;
    agent: string;
    arguments?: Record<string, unknown>;
    steps?: ModelStep[];
    says: RegExp;
  }
  const rows: Row[] = [
    { name: "no arguments", agent: "helper", says: /^invalid_request: .*query is required/ },
    { name: "an empty query", agent: "helper", arguments: { query: "" }, says: /^invalid_request: .*query/ },
    {
      name: "an argument that doesn't exist",
      agent: "helper",
      arguments: { query: "hi", querry: "hi" },
      says: /^invalid_request: .*querry/,
    },
    {
      name: "a session id with a control character",
      agent: "helper",
      arguments: { query: "hi", session_id: "a\nb" },
      says: /^invalid_request: .*session_id/,
    },
    {
      name: "a reserved key of the context",
      agent: "helper",
      arguments: { query: "hi", context: { _tenant: "x" } },
      says: /^invalid_request: .*_tenant is reserved/,
    },
    {
      name: "a context that is a list",
      agent: "helper",
      arguments: { query: "hi", context: ["x"] },
      says: /^invalid_request: .*context/,
    },
    { name: "a paused agent", agent: "resting", arguments: { query: "hi" }, says: /^agent_paused: / },
    { name: "an agent that failed", agent: "broken", arguments: { query: "hi" }, says: /^agent_failed: / },
    {
      name: "a guardrail",
      agent: "guarded",
      arguments: { query: "I am ann@example.com" },
      says: /^guardrail_blocked: /,
    },
    {
      name: "a provider that fails",
      agent: "helper",
      arguments: { query: "hi" },
      steps: [{ status: 400, body: "{}" }],
      says: /^provider_failed: /,
    },
  ];

  test.each(rows)("$name is a result that says so", async ({ agent, arguments: input, steps, says }) => {
    play(...(steps ?? [{ text: "Fine." }]));
    await using mcp = await connectMcp(daemon.url);
    await mcp.client.listTools();
    const result = await mcp.client.callTool({ name: `agent_${agent}`, ...(input && { arguments: input }) });
    expect(result.isError).toBe(true);
    expect(text(result)).toMatch(says);
    expect(text(result)).toStartWith(`${metaOf(result, "argosy/error").error}: `);
    expect(JSON.stringify(result)).not.toContain("    at ");
  });

  test.each(["agent_nobody", "helper", "agent_", "", "agent___proto__", "constructor", "agent_helpe"])(
    "the unknown tool %p is an error of the protocol",
    async (name) => {
      await using mcp = await connectMcp(daemon.url);
      const call = mcp.client.callTool({ name, arguments: { query: "hi" } });
      await expect(call).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining("Unknown tool"),
        data: { code: "unknown_tool" },
      });
    },
  );

  test("an unknown tool comes with the name that was meant", async () => {
    await using mcp = await connectMcp(daemon.url);
    const call = mcp.client.callTool({ name: "agent_helpr", arguments: { query: "hi" } });
    await expect(call).rejects.toMatchObject({ data: { hint: "Did you mean agent_helper?" } });
  });
});

describe("progress", () => {
  test("tells tool calls and results, and the answer's text in pieces that are the answer joined", async () => {
    play(
      { text: ["Let me ", "look."], toolCalls: [{ name: "datetime_now", arguments: {} }] },
      { text: ["It ", "is ", "noon."] },
    );
    await using mcp = await connectMcp(daemon.url);
    const told: (Progress & { _meta?: Record<string, unknown> })[] = [];
    const result = await mcp.client.callTool(
      { name: "agent_helper", arguments: { query: "time?" } },
      undefined,
      { onprogress: (one) => void told.push(one) },
    );
    const kind = (one: (typeof told)[number]) => one._meta?.["argosy/event"];
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, at) => at + 1));
    expect(told.filter((one) => kind(one) !== "token").map(({ message }) => message)).toEqual([
      "Calls datetime_now.",
      "datetime_now answered.",
    ]);
    const pieces = told.filter((one) => kind(one) === "token").map(({ message }) => message);
    expect(pieces.join("")).toBe(text(result) ?? "");
    expect(text(result)).toBe("Let me look.\n\nIt is noon.");
  });

  test("comes while the run continues, and only where it was asked for", async () => {
    const seen = Promise.withResolvers<void>();
    play({ text: ["first ", "second"], hold: { afterEvents: 1, until: seen.promise } });
    await using mcp = await connectMcp(daemon.url);
    const told: (string | undefined)[] = [];
    await mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } }, undefined, {
      onprogress({ message }) {
        told.push(message);
        // The answer continues once the client has got its first piece.
        seen.resolve();
      },
    });
    expect(told).toEqual(["first ", "second"]);
    expect(daemon.models.lab.requests.at(-1)?.body.stream).toBe(true);
    play({ text: "Fine." });
    await mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } });
    expect(daemon.models.lab.requests.at(-1)?.body.stream).not.toBe(true);
  });
});

describe("cancellation", () => {
  test("cancels the run and the model's call, and leaves the session as it was", async () => {
    const asked = Promise.withResolvers<void>();
    play({ text: ["first ", "second"], hold: { afterEvents: 1, until: new Promise(() => {}) } });
    await using mcp = await connectMcp(daemon.url);
    const cancelling = new AbortController();
    const call = mcp.client.callTool(
      { name: "agent_helper", arguments: { query: "hi", session_id: "cancelled" } },
      undefined,
      { signal: cancelling.signal, onprogress: () => asked.resolve() },
    );
    call.catch(() => undefined);
    await asked.promise;
    cancelling.abort();
    await expect(call).rejects.toThrow();
    await daemon.models.lab.requests.at(-1)?.cut;
    expect(await statusOfRun("cancelled")).toBe("ERROR");
    play({ text: "Fine." });
    const again = await mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } });
    expect(text(again)).toBe("Fine.");
  });

  test("the end of the session cancels its runs", async () => {
    const asked = Promise.withResolvers<void>();
    play({ text: ["first ", "second"], hold: { afterEvents: 1, until: new Promise(() => {}) } });
    const mcp = await connectMcp(daemon.url);
    const call = mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } }, undefined, {
      onprogress: () => asked.resolve(),
    });
    call.catch(() => undefined);
    await asked.promise;
    await mcp.transport.terminateSession();
    await daemon.models.lab.requests.at(-1)?.cut;
    await mcp.client.close();
    await expect(call).rejects.toThrow();
  });
});

/** Returns the status of a session's run, once it has ended. */
async function statusOfRun(session: string): Promise<string> {
  for (;;) {
    const { traces } = (await daemon.call("GET", "/v1/traces?agent=helper&limit=5")).body;
    const found = traces.find((trace: { session_id: string }) => trace.session_id === session);
    if (found !== undefined) return found.status;
  }
}

describe("resources", () => {
  test("agents and the latest traces are listed and read", async () => {
    play({ text: "Fine." });
    await using mcp = await connectMcp(daemon.url);
    const run = metaOf(
      await mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } }),
      "argosy/run",
    );
    const { resources } = await mcp.client.listResources();
    const uris = resources.map(({ uri }) => uri);
    for (const name of ["broken", "guarded", "helper", "resting", "weather"]) {
      expect(uris).toContain(`argosy://agents/${name}`);
    }
    expect(uris).toContain(`argosy://traces/${run.trace_id}`);
    const read = async (uri: string) => {
      const { contents } = await mcp.client.readResource({ uri });
      expect(contents).toHaveLength(1);
      expect(contents[0]).toMatchObject({ uri, mimeType: "application/json" });
      return JSON.parse((contents[0] as { text: string }).text);
    };
    const shown = (await daemon.call("GET", "/v1/agents/helper")).body;
    expect(await read("argosy://agents/helper")).toEqual(shown);
    expect(await read("argosy://agents/broken")).toMatchObject({ status: "failed" });
    const trace = (await daemon.call("GET", `/v1/traces/${run.trace_id}`)).body;
    expect(await read(`argosy://traces/${run.trace_id}`)).toEqual(trace);
    for (const uri of uris) await read(uri);
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "argosy://agents/{name}",
      "argosy://traces/{trace_id}",
    ]);
  });

  test.each([
    "argosy://agents/nobody",
    "argosy://agents/",
    "argosy://agents/../traces",
    "argosy://agents/helper/",
    "argosy://agents/__proto__",
    "argosy://traces/nothing",
    "argosy://traces/",
    "argosy://secrets/all",
    "file:///etc/passwd",
    "no uri at all",
    "",
  ])("%p is not found", async (uri) => {
    await using mcp = await connectMcp(daemon.url);
    await expect(mcp.client.readResource({ uri })).rejects.toMatchObject({
      code: -32_002,
      data: { code: "resource_not_found", uri },
    });
  });
});

describe("a catalog that changes", () => {
  test("notifies clients that listen once, and only if their tools changed", async () => {
    await using own = await startDaemon();
    await using mcp = await connectMcp(own.url);
    const changes: string[] = [];
    let changed = Promise.withResolvers<void>();
    mcp.client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => {
      changes.push(method);
      changed.resolve();
    });
    mcp.client.setNotificationHandler(ResourceListChangedNotificationSchema, ({ method }) => {
      changes.push(method);
    });
    await mcp.listening;
    const names = async () => (await mcp.client.listTools()).tools.map(({ name }) => name);

    await own.call("POST", "/v1/agents", { body: JSON.parse(agentFile("second")) });
    await changed.promise;
    expect(await names()).toEqual(["agent_helper", "agent_second"]);

    changed = Promise.withResolvers();
    await own.call("POST", "/v1/agents/second/pause");
    await changed.promise;
    expect(await names()).toEqual(["agent_helper"]);

    changed = Promise.withResolvers();
    // A change that affects no tool does not change the list of tools.
    const other = agentFile("helper", { prompts: { system: "Be short." } });
    own.writeAgent("helper.agent.yaml", other);
    await own.clock.advance(3000);
    own.writeAgent("third.agent.yaml", agentFile("third"));
    await own.clock.advance(3000);
    await changed.promise;
    expect(await names()).toEqual(["agent_helper", "agent_third"]);
    expect(changes).toEqual(changes.map(() => "notifications/tools/list_changed"));
    expect(changes).toHaveLength(3);
  });
});

test("many agents come in pages, each once, while others come and go", async () => {
  const agents = Array.from({ length: 250 }, (_, at) => `a${String(at).padStart(3, "0")}`);
  const files = agents.map((name) => [`${name}.agent.yaml`, agentFile(name)]);
  await using own = await startDaemon({ agents: Object.fromEntries(files) });
  await using mcp = await connectMcp(own.url);
  const first = await mcp.client.listTools();
  expect(first.tools).toHaveLength(100);
  // The last agent of the first page disappears, and one is added before it.
  await own.call("POST", "/v1/agents", { body: JSON.parse(agentFile("a0000")) });
  await own.call("POST", "/v1/agents/a099/pause");
  const second = await mcp.client.listTools({ cursor: first.nextCursor });
  const third = await mcp.client.listTools({ cursor: second.nextCursor });
  expect(third.nextCursor).toBeUndefined();
  const told = [first, second, third].flatMap(({ tools }) => tools.map(({ name }) => name));
  expect(told).toEqual(agents.map((name) => `agent_${name}`));
  const resources = await mcp.client.listResources();
  expect(resources.resources).toHaveLength(100);
  expect(resources.nextCursor).toBeDefined();
});

test("a client that listens doesn't hold up the end: nothing is given time", async () => {
  await using daemon = await startDaemon();
  await using mcp = await connectMcp(daemon.url);
  await mcp.listening;
  await daemon.stop();
  expect(daemon.clock.monotonicMs()).toBe(0);
});
