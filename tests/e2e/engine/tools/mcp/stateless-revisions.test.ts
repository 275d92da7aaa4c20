import { describe, expect, test } from "bun:test";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { patient, stagedServer, stageServers, until } from "../../../../support/mcp-servers.ts";
import { startHttpServer } from "../../../../support/staged-mcp-http.ts";
import {
  callFirst,
  complete,
  localServer,
  metaOf,
  rpcError,
  type Staged,
  startStatelessServer,
} from "../../../../support/stateless-mcp-server.ts";

test("every request says revision, client and capabilities, in _meta and headers", async () => {
  await using server = startStatelessServer();
  await using stage = stageServers();
  expect(await callFirst(stage, server.url, { text: "hi" })).toEqual({
    success: true,
    data: '{"text":"hi"}',
  });
  expect(server.calls.map(({ method }) => method)).toEqual(["server/discover", "tools/list", "tools/call"]);
  expect(new Set(server.calls.map(({ id }) => id)).size).toBe(3);
  for (const { method, params, headers } of server.calls) {
    expect(metaOf(params)).toMatchObject({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "argosy", version: "1.2.3" },
      "io.modelcontextprotocol/clientCapabilities": expect.any(Object),
    });
    expect(headers.get("mcp-protocol-version")).toBe("2026-07-28");
    expect(headers.get("mcp-method")).toBe(method);
    expect(headers.get("mcp-name")).toBe(method === "tools/call" ? "echo" : null);
    expect(headers.get("mcp-session-id")).toBeNull();
    expect(headers.get("accept")).toBe("application/json, text/event-stream");
  }
});

test("the official server of SDK 2 is spoken to without a session", async () => {
  const made: string[] = [];
  const handler = createMcpHandler(({ era }) => {
    made.push(era);
    const server = new McpServer({ name: "official", version: "1" });
    const inputSchema = fromJsonSchema<{ text: string }>({
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
    });
    server.registerTool("echo", { inputSchema }, ({ text }) => ({ content: [{ type: "text", text }] }));
    return server;
  });
  await using server = startHttpServer((request) => handler.fetch(request));
  await using stage = stageServers();
  expect(await callFirst(stage, server.url, { text: "hi" })).toEqual({ success: true, data: "hi" });
  expect(new Set(made)).toEqual(new Set(["modern"]));
});

describe("which revision is spoken", () => {
  const probe: [string, Staged][] = [
    ["an unknown method", ({ id }) => rpcError(id, -32_601)],
    ["400 without a body", () => new Response(null, { status: 400 })],
    ["400 with another error", ({ id }) => rpcError(id, -32_000, 400)],
    ["404", () => new Response("not here", { status: 404 })],
    ["405", () => new Response(null, { status: 405 })],
    ["500", () => new Response("oops", { status: 500 })],
    ["202", () => new Response(null, { status: 202 })],
    ["a web page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
    ["a result without revisions", () => ({})],
    ["revisions that are a text", () => ({ supportedVersions: "2026-07-28" })],
    ["only revisions with sessions", () => ({ supportedVersions: ["2025-11-25"] })],
    [
      "-32022 with a revision with sessions",
      ({ id }) => rpcError(id, -32_022, 400, { supported: ["2025-11-25"] }),
    ],
  ];
  test.each(probe)("%s as the answer to server/discover leads to a session", async (_, discovered) => {
    await using modern = startStatelessServer({ "server/discover": discovered });
    let sessions = 0;
    await using server = startHttpServer(async (request) => {
      const copy = request.clone();
      const message =
        request.method === "POST" ? ((await request.json()) as { id: number; method: string }) : undefined;
      if (message?.method === "server/discover") {
        const { host: _h, ...headers } = Object.fromEntries(copy.headers);
        return fetch(modern.url, { method: "POST", headers, body: await copy.text() });
      }
      const answer = (result: object) => Response.json({ jsonrpc: "2.0", id: message?.id, result });
      if (message?.method === "initialize") {
        sessions++;
        const serverInfo = { name: "old", version: "1" };
        return answer({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
      }
      if (message?.method === "tools/list")
        return answer({ tools: [{ name: "echo", inputSchema: { type: "object" } }] });
      if (message?.method === "tools/call") return answer({ content: [{ type: "text", text: "old" }] });
      return new Response(null, { status: request.method === "POST" ? 202 : 405 });
    });
    await using stage = stageServers();
    expect(await callFirst(stage, server.url)).toEqual({ success: true, data: "old" });
    expect(sessions).toBe(1);
  });

  test("a server that first refuses our revision, and then names it, is asked again", async () => {
    let refusals = 0;
    await using server = startStatelessServer({
      "server/discover": ({ id }) =>
        refusals++ === 0
          ? rpcError(id, -32_022, 400, { supported: ["2026-07-28"] })
          : complete({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
    });
    await using stage = stageServers();
    expect(await callFirst(stage, server.url)).toMatchObject({ success: true });
  });

  test.each<[string, Staged, RegExp]>([
    [
      "only newer revisions",
      () => ({ supportedVersions: ["2099-01-01"] }),
      /^it speaks MCP 2099-01-01, and Argosy/,
    ],
    [
      "our revision refused twice",
      ({ id }) => rpcError(id, -32_022, 400, { supported: ["2026-07-28"] }),
      /^it speaks MCP 2026-07-28/,
    ],
    ["a header refused", ({ id }) => rpcError(id, -32_020, 400), /refused to begin/],
    ["401", () => new Response(null, { status: 401 }), /asks who is calling/],
    ["403", () => new Response(null, { status: 403 }), /refuses us \(403\)/],
  ])("%s: the server is down, and says why", async (_, discovered, fault) => {
    await using server = startStatelessServer({ "server/discover": discovered });
    await using stage = stageServers();
    const started = await stage.started(localServer(server.url));
    expect(started.status()).toMatchObject({ state: "down", fault: expect.stringMatching(fault) });
    expect(server.calls.every(({ method }) => method === "server/discover")).toBe(true);
  });

  test("a server that never answers the question is asked for a session after 15 s", async () => {
    await using server = startStatelessServer({
      "server/discover": () => new Promise<Response>(() => {}),
      initialize: ({ id }) => rpcError(id, -32_000),
    });
    await using stage = stageServers();
    const starting = stage.server(localServer(server.url));
    const ready = starting.ready();
    await until(() => server.calls.length === 1);
    await stage.clock.advance(15_000);
    await ready;
    await until(() => server.calls.some(({ method }) => method === "initialize"));
  });

  test.each([
    ["silent", 3000],
    ["silent-even-to-pings", 15_000],
  ])("a program that is %s is opened with a session after %d ms", async (behaviour, waitMs) => {
    await using stage = stageServers();
    const server = stage.server(stagedServer(behaviour));
    const ready = server.ready();
    await until(() => stage.logged.some(({ event }) => event === "mcp.stderr"));
    await stage.clock.advance(waitMs - 1);
    expect(server.status().state).toBe("starting");
    await stage.clock.advance(1);
    await ready;
    await until(() => server.status().state === "ready");
  });

  test("a program that dies of the question is started again with a session", async () => {
    await using stage = stageServers();
    const server = await stage.started(stagedServer("dies-of-it"));
    expect(await server.call("echo", { text: "alive" }, patient())).toEqual({
      content: [{ type: "text", text: "alive" }],
    });
  });
});
