import { describe, expect, test } from "bun:test";
import { executeTool } from "../../../../../src/engine/tools/execute-tool.ts";
import {
  addressOf,
  meanwhile,
  patient,
  stageServers,
  toolsOf,
  until,
} from "../../../../support/mcp-servers.ts";
import {
  type Answering,
  html,
  result,
  startHttpServer,
  status,
} from "../../../../support/staged-mcp-http.ts";
import { toolContext } from "../../../../support/tool-context.ts";

describe("a server that can't be used is down, and says why without its own words", () => {
  test.each<[string, "http" | "sse", Answering, string]>([
    ["a web page", "http", html, "it answers with text/html instead of MCP"],
    ["a web page", "sse", html, "what it answers is no MCP"],
    [
      "401",
      "http",
      status(401),
      "it asks who is calling: log in to it by `argosy mcp login`, or send credentials in config.headers",
    ],
    [
      "401",
      "sse",
      status(401),
      "it asks who is calling: log in to it by `argosy mcp login`, or send credentials in config.headers",
    ],
    ["403", "http", status(403), "it refuses us (403)"],
    ["404", "http", status(404), "there is nothing at its address (404)"],
    ["500", "http", status(500), "it answers with status 500"],
    [
      "no JSON",
      "http",
      () => new Response("{", { headers: { "content-type": "application/json" } }),
      "what it answers is no MCP",
    ],
    ["a list", "http", () => Response.json([]), "it did not answer in time"],
    ["nothing", "http", () => new Response(null, { status: 202 }), "it did not answer in time"],
  ])("%s over %s", async (_, transport, answer, fault) => {
    await using remote = startHttpServer(answer);
    await using stage = stageServers();
    const server = stage.server(addressOf(remote.url, { transport }));
    const settled = server.ready();
    await until(() => remote.requests.length > 0);
    if (fault === "it did not answer in time") await stage.clock.advance(60_000);
    await settled;
    await until(() => server.status().state === "down");
    expect(server.status().fault).toBe(fault);
  });

  test("a server that is not reachable", async () => {
    const remote = startHttpServer(html);
    await remote[Symbol.asyncDispose]();
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    expect(server.status()).toMatchObject({ state: "down", fault: "The server could not be reached." });
  });

  test("a server that takes a connection and sends nothing times out after a minute", async () => {
    await using remote = startHttpServer(() => new Promise<Response>(() => {}));
    await using stage = stageServers();
    const server = stage.server(addressOf(remote.url));
    const settled = server.ready();
    await until(() => remote.requests.length > 0);
    await stage.clock.advance(60_000);
    await settled;
    await until(() => server.status().state === "down");
    expect(server.status().fault).toBe("it did not answer in time");
  });
});

describe("where a server may be (mcp_hostile-032)", () => {
  test.each(["http", "sse"] as const)(
    "a redirect to elsewhere is not followed over %s, and no header goes there",
    async (transport) => {
      await using canary = startHttpServer(html);
      await using remote = startHttpServer(() => Response.redirect(`${canary.url}/steal`, 307));
      await using stage = stageServers();
      const headers = { authorization: "Bearer secret-of-the-entry" };
      const server = await stage.started(addressOf(remote.url, { transport, headers }));
      expect(server.status()).toMatchObject({ state: "down" });
      expect(remote.requests[0]?.headers.get("authorization")).toBe("Bearer secret-of-the-entry");
      expect(canary.requests).toHaveLength(0);
    },
  );

  test.each(["http", "sse"] as const)(
    "this machine is closed over %s unless the entry opens it",
    async (transport) => {
      await using remote = startHttpServer(html);
      await using stage = stageServers();
      const server = await stage.started(addressOf(remote.url, { transport, allowsLoopback: false }));
      expect(server.status().state).toBe("down");
      expect(remote.requests).toHaveLength(0);
    },
  );

  test.each([
    "http://169.254.169.254/mcp",
    "http://10.0.0.1/mcp",
    "http://[fd00::1]/mcp",
    "http://192.168.0.1:8080/",
    "http://2130706433/",
    "http://metadata.google.internal/",
  ])("%s is refused", async (url) => {
    await using stage = stageServers();
    const server = await stage.started(addressOf(url));
    expect(server.status().state).toBe("down");
  });

  test("an entry that leads to this machine without saying so is refused when it is loaded", async () => {
    await using stage = stageServers();
    for (const url of [
      "http://localhost:1/mcp",
      "http://127.0.0.1:1/",
      "http://[::1]:1/",
      "http://a.localhost/",
    ]) {
      await expect(toolsOf(stage, { transport: "http", url })).rejects.toThrow(/allow_localhost/);
    }
  });

  test("the messages of an SSE server go to its own origin only", async () => {
    await using canary = startHttpServer(html);
    await using remote = startHttpServer(
      () =>
        new Response(`event: endpoint\ndata: ${canary.url}/steal\n\n`, {
          headers: { "content-type": "text/event-stream" },
        }),
    );
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url, { transport: "sse" }));
    expect(server.status().state).toBe("down");
    expect(canary.requests).toHaveLength(0);
  });
});

describe("calls", () => {
  test("headers of the entry, the session and the protocol version go with each", async () => {
    await using remote = startHttpServer({ call: () => ({ json: result("fine") }) });
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url, { headers: { "X-Key": "of the entry" } }));
    await server.call("echo", {}, patient());
    const sent = remote.requests.at(-1)?.headers;
    expect(sent?.get("x-key")).toBe("of the entry");
    expect(sent?.get("mcp-session-id")).toBe("session-1");
    expect(sent?.get("mcp-protocol-version")).toMatch(/^20\d\d-/);
  });

  test.each<[string, object]>([
    ["as JSON", { json: result("x".repeat(5 * 1024 ** 2)) }],
    ["as an event", { events: `data: ${"x".repeat(5 * 1024 ** 2)}` }],
  ])("an answer without end %s fails", async (_, answer) => {
    await using remote = startHttpServer({ call: () => answer });
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    const call = server.call("echo", {}, patient()).catch((thrown: unknown) => thrown);
    expect(await meanwhile(stage.clock, call)).toBeInstanceOf(Error);
  });

  test("an answer that ends without the result fails at once", async () => {
    await using remote = startHttpServer({ call: () => ({ events: ": nothing\n\n" }) });
    await using stage = stageServers();
    const tools = await toolsOf(stage, { transport: "http", url: remote.url, allow_localhost: true });
    const [tool] = tools.values();
    if (tool === undefined) throw new Error("no tool");
    const call = executeTool(tool, { text: "hi" }, toolContext());
    expect(await meanwhile(stage.clock, call)).toEqual({
      success: false,
      error: expect.stringContaining("ended before the result"),
    });
  });

  test("a session that the server forgot is opened anew, once", async () => {
    let forgotten = 1;
    await using remote = startHttpServer({
      call: () => (forgotten-- > 0 ? { status: 404 } : { json: result("again") }),
    });
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    expect(await server.call("echo", {}, patient())).toEqual(result("again"));
    expect(remote.sessions()).toBe(2);
    forgotten = 100;
    await expect(server.call("echo", {}, patient())).rejects.toThrow();
    expect(remote.sessions()).toBe(3);
  });

  test("a call that is cancelled is cancelled at the server, and its answer is let go", async () => {
    const left = Promise.withResolvers<void>();
    await using remote = startHttpServer({ call: () => ({ events: ": wait\n\n", left: left.resolve }) });
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    const cancel = new AbortController();
    const call = server.call("echo", {}, { signal: cancel.signal, progress: () => {} });
    await until(() => remote.messages("tools/call").length === 1);
    cancel.abort("enough");
    await expect(call).rejects.toThrow();
    await left.promise;
    await until(() => remote.messages("notifications/cancelled").length === 1);
  });

  test("the session is ended when the server is closed", async () => {
    await using remote = startHttpServer({ call: () => ({ json: result("fine") }) });
    const stage = stageServers();
    await stage.started(addressOf(remote.url));
    await stage.servers.close();
    expect(remote.requests.at(-1)?.method).toBe("DELETE");
  });
});
