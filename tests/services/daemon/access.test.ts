import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { daemonClient } from "../../../src/contracts/daemon/client.ts";
import { StreamTicket } from "../../../src/contracts/daemon/runs/stream-ticket.ts";
import { controlSocketPath } from "../../../src/storage/files/data-folder.ts";
import { type CallOptions, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { bodyOf, rawRequest } from "../../support/raw-http.ts";
import { rawWebSocket } from "../../support/raw-web-socket.ts";
import { refusal } from "../../support/refusal.ts";

const token = "a-token-of-at-least-thirty-two-bytes";

const handshake =
  "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

let plain: TestDaemon;
let exposed: TestDaemon;

beforeAll(async () => {
  plain = await startDaemon();
  exposed = await startDaemon({
    configure: (config) => ({
      ...config,
      access: { allowedHosts: ["argosy.example"], apiToken: token, insecureOpen: false },
    }),
  });
});

afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await exposed[Symbol.asyncDispose]();
});

const routes: { method: string; path: string; options?: CallOptions }[] = [
  { method: "GET", path: "/v1/agents" },
  { method: "GET", path: "/v1/agents/" },
  { method: "GET", path: "/v1/agents/helper" },
  { method: "POST", path: "/v1/agents/helper/run", options: { body: { query: "hi" } } },
  { method: "POST", path: "/v1/agents/helper/stream-ticket" },
  { method: "GET", path: "/v1/memory/helper/history/s" },
  { method: "DELETE", path: "/v1/memory/helper/history/s" },
  { method: "GET", path: "/v1/tools" },
  { method: "GET", path: "/v1/tools/builtin" },
  { method: "POST", path: "/v1/tools/execute", options: { body: { tool: "datetime_now", input: {} } } },
  { method: "GET", path: "/v1/traces" },
  { method: "GET", path: "/v1/stats/runs" },
  { method: "GET", path: "/v1/traces/x" },
  { method: "GET", path: "/v1/metrics" },
  { method: "POST", path: "/v1/metrics/reset" },
  { method: "GET", path: "/metrics" },
  { method: "GET", path: "/v1/system/status" },
  { method: "GET", path: "/v1/system/doctor" },
  { method: "GET", path: "/v1/system/workers" },
  { method: "GET", path: "/v1/system/storage" },
  { method: "GET", path: "/v1/system/backups" },
  { method: "POST", path: "/v1/system/backups", options: { body: {} } },
  { method: "GET", path: "/v1/system/logs" },
  { method: "GET", path: "/v1/system/logs/events" },
  { method: "GET", path: "/v1/models" },
  {
    method: "POST",
    path: "/v1/chat/completions",
    options: { body: { model: "agent/helper", messages: [] } },
  },
  { method: "POST", path: "/v1/agents/helper/ag-ui", options: { body: {} } },
  { method: "POST", path: "/v1/agents/helper/ui-messages", options: { body: {} } },
  { method: "POST", path: "/v1/responses", options: { body: { model: "agent/helper", input: "hi" } } },
  { method: "GET", path: "/v1/responses/x" },
  { method: "DELETE", path: "/v1/responses/x" },
  { method: "POST", path: "/v1/responses/x/cancel" },
  { method: "GET", path: "/v1/responses/x/input_items" },
  { method: "GET", path: "/v1/skills" },
  { method: "GET", path: "/v1/triggers" },
  { method: "POST", path: "/v1/triggers/helper/x/fire", options: { body: {} } },
  { method: "POST", path: "/v1/triggers/helper/x/pause" },
  { method: "GET", path: "/v1/triggers/helper/x/fires" },
  { method: "GET", path: "/openapi.json" },
  { method: "GET", path: "/docs" },
  { method: "GET", path: "/nothing/here" },
];

describe("without a token", () => {
  test.each(routes)("$method $path of an exposed daemon is 401", async ({ method, path, options }) => {
    const answer = await exposed.call(method, path, options);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    const code = /^\/v1\/(models|chat|responses)/.test(path) ? answer.body.error.code : answer.body.error;
    expect(code).toBe("unauthorized");
  });

  test.each(["/health", "/health/", "/v1/health", "/v1/health/", "/healthz", "/readyz"])(
    "%s answers all the same",
    async (path) => {
      expect((await exposed.call("GET", path)).status).toBe(200);
    },
  );

  test("existing and unknown agents are 401 alike, and so is a WebSocket", async () => {
    const open = rawWebSocket(exposed.port, "/v1/ws/agent/helper");
    await expect(open).rejects.toThrow("HTTP/1.1 401");
    const unknown = await exposed.call("GET", "/v1/agents/nobody");
    const known = await exposed.call("GET", "/v1/agents/helper");
    expect(unknown.text).toBe(known.text);
  });
});

describe("with the token", () => {
  test.each(routes)("$method $path of an exposed daemon is let in", async ({ method, path, options }) => {
    const answer = await exposed.call(method, path, {
      ...options,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).not.toBe(401);
    expect(answer.status).toBeLessThan(500);
  });

  test("a WebSocket opens", async () => {
    const opened = await rawWebSocket(exposed.port, "/v1/ws/agent/helper", [
      `Authorization: Bearer ${token}`,
    ]);
    expect(opened.head).toContain("101 Switching Protocols");
    opened.socket.destroy();
  });

  describe("a page gets a ticket, which", () => {
    const issue = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const { status, body } = await exposed.call("POST", "/v1/agents/helper/stream-ticket", { headers });
      expect(status).toBe(200);
      expect(Value.Check(StreamTicket, body)).toBe(true);
      return body.ticket as string;
    };
    const open = (agent: string, ticket: string) =>
      rawWebSocket(exposed.port, `/v1/ws/agent/${agent}?ticket=${ticket}`);

    test("opens the agent's WebSocket once; a used ticket is 401", async () => {
      const ticket = await issue();
      const { head, socket } = await open("helper", ticket);
      expect(head).toContain("101 Switching Protocols");
      socket.destroy();
      await expect(open("helper", ticket)).rejects.toThrow("HTTP/1.1 401");
    });

    test.each([
      ["HEAD", "HEAD", ""],
      ["GET without a handshake", "GET", ""],
      ["HEAD with the headers of a handshake", "HEAD", handshake],
      ["GET of another protocol", "GET", handshake.replace("websocket", "h2c")],
    ])("is not used up by %s", async (_what, method, headers) => {
      const ticket = await issue();
      const plain = `${method} /v1/ws/agent/helper?ticket=${ticket} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
      const { status } = await rawRequest(exposed.port, plain, {
        until: (text) => text.includes("\r\n\r\n"),
      });
      expect(status).toBe(400);
      const { head, socket } = await open("helper", ticket);
      expect(head).toContain("101 Switching Protocols");
      socket.destroy();
    });

    test("opens no other agent's: 401, and the attempt uses it up", async () => {
      const ticket = await issue();
      await expect(open("other", ticket)).rejects.toThrow("HTTP/1.1 401");
      await expect(open("helper", ticket)).rejects.toThrow("HTTP/1.1 401");
    });

    test("is valid for 30 seconds, then 401", async () => {
      const [early, late] = [await issue(), await issue()];
      await exposed.clock.advance(29_999);
      (await open("helper", early)).socket.destroy();
      await exposed.clock.advance(1);
      await expect(open("helper", late)).rejects.toThrow("HTTP/1.1 401");
    });

    test("that is made up is 401", async () => {
      for (const ticket of ["", "x", "constructor"]) {
        await expect(open("helper", ticket)).rejects.toThrow("HTTP/1.1 401");
      }
    });

    test("of an unknown agent is 404", async () => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await exposed.call("POST", "/v1/agents/nobody/stream-ticket", { headers });
      expect(answer.status).toBe(404);
    });
  });

  test.each(["", "Bearer", `Bearer ${token.slice(1)}`, `Bearer ${token}x`, `Basic ${token}`, token])(
    "%p is 401",
    async (authorization) => {
      const answer = await exposed.call("GET", "/v1/agents", { headers: { authorization } });
      expect(answer.status).toBe(401);
    },
  );
});

describe("a daemon that only this machine reaches", () => {
  test.each([
    ["Forwarded", "for=192.0.2.60"],
    ["X-Forwarded-For", "192.0.2.60"],
    ["X-Forwarded-Host", "argosy.example"],
    ["X-Forwarded-Proto", "https"],
  ])("what a proxy forwarded with %s is 401 where the daemon has no token", async (name, value) => {
    expect((await plain.call("GET", "/v1/agents", { headers: { [name]: value } })).status).toBe(401);
    const withSome = { [name]: value, authorization: "Bearer undefined" };
    expect((await plain.call("GET", "/v1/agents", { headers: withSome })).status).toBe(401);
    expect((await plain.call("GET", "/v1/health", { headers: { [name]: value } })).status).toBe(200);
    expect((await plain.call("GET", "/v1/agents")).status).toBe(200);
  });

  test.each([
    ["localhost", 200],
    ["LOCALHOST:8000", 200],
    ["127.0.0.1", 200],
    ["[::1]:8000", 200],
    ["evil.example", 421],
    ["127.0.0.1.evil.example", 421],
    ["localhost.evil.example", 421],
    ["argosy.example", 421],
  ])("answers to the Host %s with %d", async (host, status) => {
    const answer = await rawRequest(plain.port, `GET /v1/agents HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(answer.status).toBe(status);
    if (status === 421) expect(JSON.parse(bodyOf(answer)).error).toBe("misdirected");
  });

  test.each([
    ["http://localhost:3000", 200],
    ["https://127.0.0.1", 200],
    ["https://evil.example", 403],
    ["null", 403],
    ["chrome-extension://localhost", 403],
  ])("answers to the Origin %s with %d, and never with a CORS header", async (origin, status) => {
    const answer = await plain.call("POST", "/v1/agents/helper/run", {
      body: { query: "hi" },
      headers: { origin, "content-type": "application/json" },
    });
    expect(answer.status).toBe(status);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("a WebSocket of another site's page is 403", async () => {
    const open = rawWebSocket(plain.port, "/v1/ws/agent/helper", ["Origin: https://evil.example"]);
    await expect(open).rejects.toThrow("HTTP/1.1 403");
  });

  test("is known by the names that the operator allows", async () => {
    const headers = `Host: argosy.example\r\nAuthorization: Bearer ${token}\r\n`;
    const answer = await rawRequest(exposed.port, `GET /v1/agents HTTP/1.1\r\n${headers}\r\n`);
    expect(answer.status).toBe(200);
  });
});

test("who gets through to the control socket needs no token", async () => {
  const unix = controlSocketPath(`${exposed.workspace}/.argosy`);
  const client = daemonClient({ baseUrl: "http://localhost", fetch: (request) => fetch(request, { unix }) });
  expect((await client.listAgents()).agents.map((agent) => agent.name)).toEqual(["helper"]);
  expect((await client.run("helper", { query: "hi" })).response).toBe("Hello there.");
});

test("the client sends its token, and hands on the daemon's refusal", async () => {
  const client = (sent?: string) =>
    daemonClient({ baseUrl: exposed.url, fetch, ...(sent === undefined ? {} : { token: sent }) });
  expect((await client(token).getAgent("helper")).name).toBe("helper");
  expect(await refusal(client().getAgent("helper"))).toMatchObject({
    kind: "unauthorized",
    code: "unauthorized",
  });
  expect(await refusal(client(token).getAgent("helpre"))).toMatchObject({
    kind: "not_found",
    code: "agent_not_found",
    details: { hint: "Did you mean helper?" },
  });
});

test("a start off loopback without a token is refused, unless by explicit wish", async () => {
  const offLoopback = (insecureOpen: boolean) =>
    startDaemon({
      configure: (config) => ({
        ...config,
        services: { ...config.services, daemon: { enabled: true, port: 0, host: "0.0.0.0" } },
        access: { allowedHosts: [], insecureOpen },
      }),
    });
  expect((await refusal(offLoopback(false))).code).toBe("token_needed");
  await using open = await offLoopback(true);
  expect(open.logLines().join("\n")).toContain('"event":"service.open"');
});
