import { describe, expect, test } from "bun:test";
import { patient, stageServers, until } from "../../../../support/mcp-servers.ts";
import {
  callFirst,
  complete,
  localServer,
  rpcError,
  type Staged,
  startStatelessServer,
  textResult,
} from "../../../../support/stateless-mcp-server.ts";

describe("inputs in headers", () => {
  const schema = (mark: unknown, type = "string") => ({
    type: "object",
    properties: { region: { type, "x-mcp-header": mark } },
  });
  const listed = (...tools: object[]): Record<string, Staged> => ({
    "tools/list": () => complete({ tools, ttlMs: 0, cacheScope: "private" }),
  });

  test("marked inputs are repeated, those that no header can have as Base64", async () => {
    const inputSchema = {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        count: { type: "integer", "x-mcp-header": "Count" },
        dry: { type: "boolean", "x-mcp-header": "Dry" },
        place: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
        absent: { type: "string", "x-mcp-header": "Absent" },
        plain: { type: "string" },
      },
    };
    await using server = startStatelessServer(listed({ name: "größe", inputSchema }));
    await using stage = stageServers();
    const input = { region: "us\r\nx: y", count: -7, dry: false, place: { city: " Köln" }, plain: "no" };
    expect(await callFirst(stage, server.url, input)).toMatchObject({ success: true });
    const { headers } = server.calls.at(-1) ?? {};
    const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
    expect([...(headers ?? [])].filter(([name]) => /^mcp-(param|name)/.test(name)).sort()).toEqual([
      ["mcp-name", base64("größe")],
      ["mcp-param-city", base64(" Köln")],
      ["mcp-param-count", "-7"],
      ["mcp-param-dry", "false"],
      ["mcp-param-region", base64("us\r\nx: y")],
    ]);
  });

  test.each<[string, object]>([
    ["empty", schema("")],
    ["a number", schema(7)],
    ["with a space", schema("a b")],
    ["with a colon", schema("a:b")],
    ["with a line break", schema("a\nb")],
    ["not ASCII", schema("größe")],
    ["on a number", schema("A", "number")],
    ["on an object", schema("A", "object")],
    ["at the root", { type: "object", "x-mcp-header": "A" }],
    [
      "within a list",
      { type: "object", properties: { a: { type: "array", items: schema("A").properties.region } } },
    ],
    ["within a choice", { type: "object", anyOf: [schema("A")] }],
    ["within a definition", { type: "object", $defs: { a: schema("A").properties.region } }],
    [
      "twice, in other letters",
      {
        type: "object",
        properties: {
          a: { type: "string", "x-mcp-header": "Region" },
          b: { type: "string", "x-mcp-header": "REGION" },
        },
      },
    ],
  ])("a mark that is %s refuses its tool alone", async (_, inputSchema) => {
    const tools = [
      { name: "bad", inputSchema },
      { name: "good", inputSchema: { type: "object" } },
    ];
    await using server = startStatelessServer(listed(...tools));
    await using stage = stageServers();
    const started = await stage.started(localServer(server.url));
    expect(started.listed.tools.map(({ name }) => name)).toEqual(["good"]);
    expect(started.status().refused).toEqual([
      { name: "bad", reason: expect.stringContaining("x-mcp-header") },
    ]);
  });

  test("a header that the server refuses is made anew from its latest schema, once", async () => {
    let mark = "Region";
    await using server = startStatelessServer({
      "tools/list": () => complete({ tools: [{ name: "echo", inputSchema: schema(mark) }], ttlMs: 0 }),
      "tools/call": ({ id, headers }) =>
        headers.has(`mcp-param-${mark}`) ? textResult("fine") : rpcError(id, -32_020, 400),
    });
    await using stage = stageServers();
    const started = await stage.started(localServer(server.url));
    mark = "Area";
    expect(await started.call("echo", { region: "eu" }, patient())).toMatchObject({
      content: [{ text: "fine" }],
    });
    await expect(started.call("echo", {}, patient())).rejects.toThrow("-32020");
  });
});

describe("changed tools", () => {
  const discovered =
    (tools: object): Staged =>
    () =>
      complete({ supportedVersions: ["2026-07-28"], capabilities: { tools } });
  const growing = (more: object): Record<string, Staged> => {
    let lists = 0;
    return {
      "tools/list": () => {
        const tools = Array.from({ length: ++lists }, (_, at) => ({
          name: `tool_${at}`,
          inputSchema: { type: "object" },
        }));
        return complete({ tools, ...more });
      },
    };
  };

  test("a list is asked for again once it is no longer fresh, when a run needs it", async () => {
    await using server = startStatelessServer(growing({ ttlMs: 60_000, cacheScope: "public" }));
    await using stage = stageServers();
    const started = await stage.started(localServer(server.url));
    await stage.clock.advance(59_000);
    expect(started.relisted()).toBeUndefined();
    await stage.clock.advance(1000);
    await started.relisted();
    expect(started.listed.tools).toHaveLength(2);
  });

  test.each([-1, "60000", null, undefined])(
    "a list with ttlMs %p is old at once, but not asked for in a rush",
    async (ttlMs) => {
      await using server = startStatelessServer(growing({ ttlMs }));
      await using stage = stageServers();
      const started = await stage.started(localServer(server.url));
      await started.relisted();
      expect(started.listed.tools).toHaveLength(2);
      expect(started.relisted()).toBeUndefined();
    },
  );

  test("a server that tells of changes is listened to; without its stream the list is old again", async () => {
    let tell: ReadableStreamDefaultController | undefined;
    const encode = (message: object) =>
      tell?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(message)}\n\n`));
    let listens = 0;
    await using server = startStatelessServer({
      "server/discover": discovered({ listChanged: true }),
      ...growing({ ttlMs: 0 }),
      "subscriptions/listen": ({ id, params }) => {
        listens++;
        expect(params.notifications).toEqual({ toolsListChanged: true });
        const _meta = { "io.modelcontextprotocol/subscriptionId": id };
        const stream = new ReadableStream({
          start(controller) {
            tell = controller;
            encode({
              jsonrpc: "2.0",
              method: "notifications/subscriptions/acknowledged",
              params: { _meta, notifications: { toolsListChanged: true } },
            });
          },
        });
        return new Response(stream, { headers: { "content-type": "text/event-stream" } });
      },
    });
    await using stage = stageServers();
    const started = await stage.started(localServer(server.url));
    await until(() => listens === 1);
    const listen = server.calls.find(({ method }) => method === "subscriptions/listen");
    const _meta = { "io.modelcontextprotocol/subscriptionId": listen?.id };
    encode({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta } });
    await until(() => started.relisted() !== undefined);
    await started.relisted();
    expect(started.listed.tools.length).toBeGreaterThanOrEqual(2);
    tell?.close();
    await until(() => stage.clock.pending > 0);
    await stage.clock.advance(1000);
    await until(() => listens === 2);
  });
});
