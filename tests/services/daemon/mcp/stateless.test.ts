import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { initializeMessage, openRawSession, rpcEvents, sendRpc } from "../../../support/mcp-client.ts";
import type { ModelStep, RecordedRequest } from "../../../support/model-server.ts";
import {
  connectNewest,
  openStateless,
  type StatelessOptions,
  sendStateless,
  statelessCall,
  statelessRevision,
} from "../../../support/stateless-mcp.ts";

let daemon: TestDaemon;
let exposed: TestDaemon;
let script: (request: RecordedRequest) => ModelStep;
const token = "a-token-of-at-least-thirty-two-bytes";

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: { "helper.agent.yaml": agentFile("helper"), "other.agent.yaml": agentFile("other") },
  });
  exposed = await startDaemon({
    configure: (config) => ({
      ...config,
      access: { allowedHosts: ["argosy.example"], apiToken: token, insecureOpen: false },
    }),
  });
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await exposed[Symbol.asyncDispose]();
});

const say = (text: string) => {
  script = () => ({ text });
};

const revisionKey = "io.modelcontextprotocol/protocolVersion";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const identity = {
  "io.modelcontextprotocol/serverInfo": { name: "argosy", title: "Argosy", version: expect.any(String) },
};
const runsAsked = () => daemon.models.lab.requests.length;
const call = (query: string, more: object = {}) => ({ name: "agent_helper", arguments: { query, ...more } });

describe("the official client of SDK 2", () => {
  test("agrees on 2026-07-28 without a session, lists and calls", async () => {
    say("Hello there.");
    await using mcp = await connectNewest(daemon.url);
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe(statelessRevision);
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["agent_helper", "agent_other"]);
    const result = await mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } });
    expect(result.content).toEqual([{ type: "text", text: "Hello there." }]);
    const { resources } = await mcp.client.listResources();
    expect(resources[0]?.uri).toBe("argosy://agents/helper");
    const read = await mcp.client.readResource({ uri: "argosy://agents/helper" });
    expect(read.contents[0]).toMatchObject({ mimeType: "application/json" });
  });

  test("gets progress on the answer's own stream", async () => {
    say("Hello there.");
    await using mcp = await connectNewest(daemon.url);
    const told: string[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message ?? "");
    await mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } }, { onprogress });
    expect(told.join("")).toBe("Hello there.");
  });

  test("still gets a session when it asks for an older revision", async () => {
    await using mcp = await connectNewest(daemon.url, { versionNegotiation: { mode: "legacy" } });
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
    expect((await mcp.client.listTools()).tools).toHaveLength(2);
  });
});

describe("answers", () => {
  test("server/discover names revisions, capabilities and the server", async () => {
    const { status, messages, headers } = await sendStateless(daemon.url, "server/discover", {}, { id: "d" });
    expect(status).toBe(200);
    expect(headers.get("mcp-session-id")).toBeNull();
    expect(messages).toEqual([
      {
        jsonrpc: "2.0",
        id: "d",
        result: {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: {
            tools: { listChanged: true },
            resources: {},
            extensions: { "io.modelcontextprotocol/tasks": {} },
          },
          instructions: expect.stringContaining("session_id"),
          ttlMs: 3_600_000,
          cacheScope: "private",
          _meta: identity,
        },
      },
    ]);
  });

  test.each(["tools/list", "resources/list", "resources/templates/list"])(
    "%s is complete and says how long it is fresh, for this caller alone",
    async (method) => {
      const { messages } = await sendStateless(daemon.url, method);
      expect(messages[0].result).toMatchObject({
        resultType: "complete",
        ttlMs: expect.any(Number),
        cacheScope: "private",
      });
    },
  );

  test("a call is one JSON answer, whose result names the conversation it began", async () => {
    say("Yes.");
    const said = () => daemon.models.lab.requests.at(-1)?.body.messages.map((one) => one.content);
    const { headers, messages } = await sendStateless(daemon.url, "tools/call", call("one"));
    expect(headers.get("content-type")).toStartWith("application/json");
    const { result } = messages[0];
    expect(result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: "Yes." }] });
    expect(result._meta).toMatchObject(identity);
    const { session_id } = result._meta["argosy/run"];
    await sendStateless(daemon.url, "tools/call", call("two", { session_id }));
    expect(said()?.slice(-3)).toEqual(["one", "Yes.", "two"]);
    await sendStateless(daemon.url, "tools/call", call("three"));
    expect(said()?.slice(-1)).toEqual(["three"]);
    expect(said()).not.toContain("two");
  });

  test("a name that no header can have is sent as Base64", async () => {
    const uri = "argosy://agents/größe";
    const encoded = `=?base64?${Buffer.from(uri).toString("base64")}?=`;
    const { status, messages } = await sendStateless(
      daemon.url,
      "resources/read",
      { uri },
      { headers: { "mcp-name": encoded } },
    );
    expect({ status, code: messages[0].error.code }).toEqual({ status: 200, code: -32_602 });
    expect(messages[0].error.data.uri).toBe(uri);
  });

  test("a notification is 202 and does nothing", async () => {
    const before = runsAsked();
    const { body, options } = statelessCall("tools/call", call("hi"));
    const { id: _, ...notification } = body;
    expect(await sendRpc(daemon.url, notification, options)).toMatchObject({ status: 202, messages: [] });
    expect(runsAsked()).toBe(before);
  });

  test.each([{}, { _meta: { progressToken: 1 } }])(
    "a client that leaves its answer cancels the run, %j",
    async (params) => {
      const asked = Promise.withResolvers<void>();
      const never = new Promise(() => {});
      script = () => {
        asked.resolve();
        return { text: "never", after: never };
      };
      const leave = new AbortController();
      const left = openStateless(
        daemon.url,
        "tools/call",
        { ...call("hi"), ...params },
        { signal: leave.signal },
      ).then((response) => response.text());
      left.catch(() => undefined);
      await asked.promise;
      leave.abort();
      await expect(left).rejects.toThrow();
      await daemon.models.lab.requests.at(-1)?.cut;
    },
  );
});

describe("subscriptions/listen", () => {
  const listen = (notifications: unknown, options: StatelessOptions = {}) =>
    openStateless(daemon.url, "subscriptions/listen", { notifications }, options);
  const subscription = (id: string | number) => ({ "io.modelcontextprotocol/subscriptionId": id });

  test("says first what it will tell, then tells of changed tools only, under the id of the request", async () => {
    const leave = new AbortController();
    const asked = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ["argosy://agents/helper"],
    };
    const events = rpcEvents(await listen(asked, { id: "ears", signal: leave.signal }));
    expect((await events.next()).value).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: subscription("ears"), notifications: { toolsListChanged: true } },
    });
    const change = events.next();
    await daemon.call("POST", "/v1/agents/other/pause");
    expect((await change).value).toEqual({
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: subscription("ears") },
    });
    leave.abort();
    await daemon.call("POST", "/v1/agents/other/resume");
  });

  test("a server that stops ends the stream with a result", async () => {
    const leaving = await startDaemon();
    const response = await openStateless(
      leaving.url,
      "subscriptions/listen",
      { notifications: {} },
      { id: 7 },
    );
    const events = rpcEvents(response);
    await events.next();
    const last = events.next();
    await leaving[Symbol.asyncDispose]();
    expect((await last).value).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: { resultType: "complete", _meta: subscription(7) },
    });
    expect((await events.next()).done).toBe(true);
  });

  test.each([undefined, "all", { toolsListChanged: "yes" }])(
    "a filter %p is -32602",
    async (notifications) => {
      const response = await listen(notifications);
      expect({ status: response.status, code: (await response.json()).error.code }).toEqual({
        status: 400,
        code: -32_602,
      });
    },
  );
});

describe("refusals have the request's id and the status of the protocol", () => {
  interface Row {
    name: string;
    method?: string;
    params?: Record<string, unknown>;
    meta?: object;
    headers?: Record<string, string>;
    revision?: string;
    status: number;
    code: number;
  }
  const rows: Row[] = [
    { name: "an unknown method", method: "tools/destroy", status: 404, code: -32_601 },
    ...["initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/list", "tasks/result"].map(
      (method) => ({ name: `${method}, which is gone,`, method, status: 404, code: -32_601 }),
    ),
    { name: "prompts/list, which isn't there,", method: "prompts/list", status: 404, code: -32_601 },
    { name: "a property of objects", method: "constructor", status: 404, code: -32_601 },
    { name: "no revision in _meta", meta: { [revisionKey]: undefined }, status: 400, code: -32_602 },
    { name: "a revision that is a number", meta: { [revisionKey]: 7 }, status: 400, code: -32_602 },
    { name: "no capabilities", meta: { [capabilitiesKey]: undefined }, status: 400, code: -32_602 },
    { name: "capabilities in a list", meta: { [capabilitiesKey]: [] }, status: 400, code: -32_602 },
    { name: "capabilities that are a text", meta: { [capabilitiesKey]: "all" }, status: 400, code: -32_602 },
    { name: "an unknown revision", revision: "2099-01-01", status: 400, code: -32_022 },
    { name: "a revision with sessions", revision: "2025-11-25", status: 400, code: -32_022 },
    { name: "an empty revision", revision: "", status: 400, code: -32_022 },
    {
      name: "another revision in the header",
      headers: { "mcp-protocol-version": "2025-11-25" },
      status: 400,
      code: -32_020,
    },
    {
      name: "another method in the header",
      headers: { "mcp-method": "tools/call" },
      status: 400,
      code: -32_020,
    },
    { name: "the method in capitals", headers: { "mcp-method": "TOOLS/LIST" }, status: 400, code: -32_020 },
    {
      name: "the method twice in the header",
      headers: { "mcp-method": "tools/list, tools/list" },
      status: 400,
      code: -32_020,
    },
    ...[
      "agent_other",
      "=?base64?YWdlbnRfb3RoZXI=?=",
      "=?base64?%%%?=",
      "=?base64?gICA?=",
      "agent_hélper",
    ].map((name) => ({
      name: `${name} in the header of agent_helper`,
      method: "tools/call",
      params: call("hi"),
      headers: { "mcp-name": name },
      status: 400,
      code: -32_020,
    })),
    {
      name: "another resource in the header",
      method: "resources/read",
      params: { uri: "argosy://agents/helper" },
      headers: { "mcp-name": "argosy://agents/other" },
      status: 400,
      code: -32_020,
    },
    { name: "JSON only", headers: { accept: "application/json" }, status: 406, code: -32_600 },
    { name: "events only", headers: { accept: "text/event-stream" }, status: 406, code: -32_600 },
    { name: "text", headers: { "content-type": "text/plain" }, status: 415, code: -32_600 },
    { name: "a call of nothing", method: "tools/call", status: 200, code: -32_602 },
    { name: "a call of a number", method: "tools/call", params: { name: 7 }, status: 200, code: -32_602 },
    {
      name: "an unknown tool",
      method: "tools/call",
      params: { name: "agent_nobody" },
      status: 200,
      code: -32_602,
    },
    { name: "a cursor of somebody else's", params: { cursor: "!!!" }, status: 200, code: -32_602 },
    {
      name: "an unknown resource",
      method: "resources/read",
      params: { uri: "argosy://agents/nobody" },
      status: 200,
      code: -32_602,
    },
  ];

  test.each(rows)("$name is $status $code", async (row) => {
    const before = runsAsked();
    const { method = "tools/list", params, meta, headers, revision, status, code } = row;
    const answer = await sendStateless(
      daemon.url,
      method,
      { ...params, ...(meta && { _meta: meta }) },
      { id: "a-b", ...(headers && { headers }), ...(revision !== undefined && { revision }) },
    );
    expect({ status: answer.status, messages: answer.messages }).toEqual({
      status,
      messages: [
        { jsonrpc: "2.0", id: "a-b", error: expect.objectContaining({ code, message: expect.any(String) }) },
      ],
    });
    expect(runsAsked()).toBe(before);
  });

  test.each(["mcp-protocol-version", "mcp-method", "mcp-name"])(
    "without %s it is 400 -32020",
    async (name) => {
      const { body, options } = statelessCall("tools/call", call("hi"));
      const { [name]: _, ...headers } = options.headers ?? {};
      const { status, messages } = await sendRpc(daemon.url, body, { headers });
      expect({ status, code: messages[0].error.code }).toEqual({ status: 400, code: -32_020 });
    },
  );

  test("an unknown revision is told which there are", async () => {
    const { messages } = await sendStateless(daemon.url, "tools/list", {}, { revision: "1900-01-01" });
    expect(messages[0].error.data).toMatchObject({ supported: ["2026-07-28"], requested: "1900-01-01" });
  });

  test("an answer of the client is 400: the server asks nothing", async () => {
    const headers = { "mcp-protocol-version": statelessRevision };
    const { status, messages } = await sendRpc(
      daemon.url,
      { jsonrpc: "2.0", id: 4, result: {} },
      { headers },
    );
    expect({ status, code: messages[0].error.code }).toEqual({ status: 400, code: -32_600 });
  });

  test("sizes and depth have the limits of every body: 413, 400", async () => {
    const big = { ...call("hi"), filler: "x".repeat(1024 * 1024) };
    expect((await sendStateless(daemon.url, "tools/call", big)).status).toBe(413);
    const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
    const { body, options } = statelessCall("tools/call", { ...call("hi"), deep: "HERE" });
    const text = JSON.stringify(body).replace('"HERE"', deep);
    expect((await sendRpc(daemon.url, text, options)).status).toBe(400);
  });

  test("without the token it is 401; a replay is one more call, with the same token", async () => {
    expect((await sendStateless(exposed.url, "tools/list")).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    for (let again = 0; again < 2; again++)
      expect((await sendStateless(exposed.url, "tools/list", {}, { headers })).status).toBe(200);
  });

  test("a session's id opens nothing here, and a session is not told of", async () => {
    const session = await openRawSession(daemon.url);
    const { status, headers } = await sendStateless(
      daemon.url,
      "tools/list",
      {},
      { headers: { "mcp-session-id": session.id } },
    );
    expect(status).toBe(200);
    expect(headers.get("mcp-session-id")).toBeNull();
    expect((await sendRpc(daemon.url, initializeMessage())).headers.get("mcp-session-id")).not.toBeNull();
  });
});

test("mutations of valid requests are never 500 or more, and call nothing by accident", async () => {
  say("Hello there.");
  const good = [
    statelessCall("server/discover"),
    statelessCall("tools/list", { cursor: "YQ" }),
    statelessCall("resources/read", { uri: "argosy://agents/helper" }),
    statelessCall("tools/call", { ...call("hi"), _meta: { progressToken: 1 } }),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...good),
      fc.nat(),
      fc.constantFrom("", "0", '"', "}", "null", "[[", "é", "\\u0000"),
      async ({ body, options }, at, put) => {
        const text = JSON.stringify(body);
        const place = at % text.length;
        const changed = text.slice(0, place) + put + text.slice(place + 1);
        expect((await sendRpc(daemon.url, changed, options)).status).toBeLessThan(500);
      },
    ),
    { numRuns: 100 },
  );
});
