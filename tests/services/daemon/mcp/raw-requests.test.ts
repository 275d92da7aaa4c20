import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import jsonBodies from "../../../corpora/json_bodies.json" with { type: "json" };
import mcpHostile from "../../../corpora/mcp_hostile.json" with { type: "json" };
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { type DescribedText, describedBytes } from "../../../support/described-text.ts";
import {
  acceptBoth,
  callMessage,
  initializeMessage,
  openRawSession,
  type RawSession,
  sendRpc,
} from "../../../support/mcp-client.ts";
import { onePer } from "../../../support/one-per.ts";

let daemon: TestDaemon;
let exposed: TestDaemon;
let session: RawSession;
const token = "a-token-of-at-least-thirty-two-bytes";

beforeAll(async () => {
  daemon = await startDaemon();
  exposed = await startDaemon({
    configure: (config) => ({
      ...config,
      access: { allowedHosts: ["argosy.example"], apiToken: token, insecureOpen: false },
    }),
  });
  session = await openRawSession(daemon.url);
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await exposed[Symbol.asyncDispose]();
});

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const runsAsked = () => daemon.models.lab.requests.length;

function refusalOf(answer: Awaited<ReturnType<typeof sendRpc>>) {
  expect(answer.headers.get("content-type")).toStartWith("application/json");
  expect(answer.messages).toHaveLength(1);
  const [message] = answer.messages;
  expect(message).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: expect.objectContaining({ code: expect.any(Number), message: expect.any(String) }),
  });
  return { status: answer.status, code: message.error.code };
}

describe("what is refused before it is a message", () => {
  interface Row {
    name: string;
    body: unknown;
    headers?: Record<string, string>;
    status: number;
    code: number;
  }
  const rows: Row[] = [
    { name: "no body", body: undefined, status: 400, code: -32_600 },
    { name: "no JSON", body: "{jsonrpc", status: 400, code: -32_700 },
    {
      name: "a duplicate key",
      body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
      status: 400,
      code: -32_700,
    },
    {
      name: "a number that would change",
      body: '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
      status: 400,
      code: -32_700,
    },
    { name: "a text", body: '"ping"', status: 400, code: -32_600 },
    { name: "null", body: "null", status: 400, code: -32_600 },
    { name: "an empty object", body: {}, status: 400, code: -32_600 },
    { name: "another version of JSON-RPC", body: { ...ping, jsonrpc: "1.0" }, status: 400, code: -32_600 },
    { name: "no version", body: { id: 1, method: "ping" }, status: 400, code: -32_600 },
    { name: "a null id", body: { ...ping, id: null }, status: 400, code: -32_600 },
    { name: "an id with a fraction", body: { ...ping, id: 1.5 }, status: 400, code: -32_600 },
    { name: "an id that is an object", body: { ...ping, id: {} }, status: 400, code: -32_600 },
    { name: "a method that is a number", body: { ...ping, method: 7 }, status: 400, code: -32_600 },
    { name: "params in a list", body: { ...ping, params: [1] }, status: 400, code: -32_600 },
    { name: "another field", body: { ...ping, extra: true }, status: 400, code: -32_600 },
    {
      name: "result and error both",
      body: { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "" } },
      status: 400,
      code: -32_600,
    },
    { name: "an empty batch", body: [], status: 400, code: -32_600 },
    { name: "a batch in a revision without", body: [ping], status: 400, code: -32_600 },
    {
      name: "a batch too long",
      body: Array.from({ length: 101 }, (_, id) => ({ ...ping, id })),
      status: 400,
      code: -32_600,
    },
    { name: "initialize in a batch", body: [initializeMessage()], status: 400, code: -32_600 },
    { name: "initialize a second time", body: initializeMessage(), status: 400, code: -32_600 },
    {
      name: "more than 1 MiB",
      body: JSON.stringify({ ...ping, method: "x".repeat(1024 * 1024) }),
      status: 413,
      code: -32_000,
    },
    { name: "JSON only", body: ping, headers: { accept: "application/json" }, status: 406, code: -32_000 },
    { name: "events only", body: ping, headers: { accept: "text/event-stream" }, status: 406, code: -32_000 },
    { name: "anything", body: ping, headers: { accept: "*/*" }, status: 406, code: -32_000 },
    { name: "text", body: ping, headers: { "content-type": "text/plain" }, status: 415, code: -32_000 },
    {
      name: "a type that only looks like JSON",
      body: ping,
      headers: { "content-type": "text/plain; a=application/json" },
      status: 415,
      code: -32_000,
    },
    {
      name: "an encoded body",
      body: ping,
      headers: { "content-encoding": "gzip" },
      status: 415,
      code: -32_000,
    },
    {
      name: "a revision that nobody knows",
      body: ping,
      headers: { "mcp-protocol-version": "1999-12-31" },
      status: 400,
      code: -32_000,
    },
    {
      name: "a page of another site",
      body: ping,
      headers: { origin: "https://evil.example" },
      status: 403,
      code: -32_000,
    },
    { name: "an opaque page", body: ping, headers: { origin: "null" }, status: 403, code: -32_000 },
    {
      name: "another name of ours",
      body: ping,
      headers: { host: "evil.example" },
      status: 421,
      code: -32_000,
    },
    {
      name: "a session that isn't",
      body: ping,
      headers: { "mcp-session-id": "guessed" },
      status: 404,
      code: -32_001,
    },
    {
      name: "initialize under an id of the client's choice",
      body: initializeMessage(),
      headers: { "mcp-session-id": "chosen" },
      status: 404,
      code: -32_001,
    },
    {
      name: "someone else's credentials",
      body: ping,
      headers: { authorization: "Bearer another" },
      status: 404,
      code: -32_001,
    },
  ];

  test.each(rows)("$name is $status $code", async ({ body, headers, status, code }) => {
    const answer = await session.send(body, { headers: headers ?? {} });
    expect(refusalOf(answer)).toEqual({ status, code });
    expect((await session.send(ping)).messages).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  test.each([
    { ...initializeMessage(), params: {} },
    { ...initializeMessage(), params: undefined },
    { ...initializeMessage(), id: undefined },
    { ...initializeMessage(), params: { ...initializeMessage().params, protocolVersion: 7 } },
    { ...initializeMessage(), params: { ...initializeMessage().params, clientInfo: "me" } },
  ])("an incomplete initialize is 400 and opens no session: %j", async (message) => {
    const answer = await sendRpc(daemon.url, message);
    expect(refusalOf(answer)).toEqual({ status: 400, code: -32_602 });
    expect(answer.headers.get("mcp-session-id")).toBeNull();
  });

  test.each(["ping", "tools/list", "tools/call", "notifications/initialized"])(
    "%s without a session is 400",
    async (method) => {
      const id = method.startsWith("notifications") ? {} : { id: 1 };
      const answer = await sendRpc(daemon.url, { jsonrpc: "2.0", ...id, method });
      expect(refusalOf(answer)).toEqual({ status: 400, code: -32_000 });
    },
  );

  test("a page of ours may come with JSON", async () => {
    const headers = { origin: daemon.url, "sec-fetch-site": "same-origin" };
    expect((await session.send(ping, { headers })).status).toBe(200);
  });
});

describe("methods", () => {
  const rows: { name: string; message: object; code: number }[] = [
    { name: "an unknown method", message: { method: "tools/destroy" }, code: -32_601 },
    { name: "prompts, which aren't there", message: { method: "prompts/list" }, code: -32_601 },
    {
      name: "a log level, which isn't there",
      message: { method: "logging/setLevel", params: { level: "info" } },
      code: -32_601,
    },
    {
      name: "a subscription, which isn't there",
      message: { method: "resources/subscribe", params: { uri: "x" } },
      code: -32_601,
    },
    { name: "tasks, which aren't there", message: { method: "tasks/list" }, code: -32_601 },
    {
      name: "a notification as a request",
      message: { method: "notifications/cancelled", params: { requestId: 5 } },
      code: -32_601,
    },
    { name: "a property of objects", message: { method: "constructor" }, code: -32_601 },
    { name: "no method at all", message: { method: "" }, code: -32_601 },
    { name: "a call of nothing", message: { method: "tools/call" }, code: -32_602 },
    { name: "a call of a number", message: { method: "tools/call", params: { name: 7 } }, code: -32_602 },
    {
      name: "a cursor that is a number",
      message: { method: "tools/list", params: { cursor: 7 } },
      code: -32_602,
    },
    {
      name: "a cursor of somebody else's",
      message: { method: "tools/list", params: { cursor: "!!!" } },
      code: -32_602,
    },
    { name: "an empty cursor", message: { method: "tools/list", params: { cursor: "" } }, code: -32_602 },
    {
      name: "a cursor of bytes that are not text",
      message: { method: "resources/list", params: { cursor: "_w" } },
      code: -32_602,
    },
    { name: "reading nothing", message: { method: "resources/read" }, code: -32_602 },
    { name: "reading a list", message: { method: "resources/read", params: { uri: [] } }, code: -32_602 },
  ];

  test.each(rows)("$name is $code, under its own id", async ({ message, code }) => {
    const { status, messages } = await session.send({ jsonrpc: "2.0", id: "a-b", ...message });
    expect(status).toBe(200);
    expect(messages).toEqual([
      { jsonrpc: "2.0", id: "a-b", error: expect.objectContaining({ code, message: expect.any(String) }) },
    ]);
  });

  test("a request sent as a notification, and an answer to no question, do nothing", async () => {
    const before = runsAsked();
    const { id: _, ...call } = callMessage(1, "helper");
    expect(await session.send(call)).toMatchObject({ status: 202, messages: [] });
    expect(await session.send({ jsonrpc: "2.0", id: 77, result: {} })).toMatchObject({ status: 202 });
    const unasked = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } };
    expect(await session.send(unasked)).toMatchObject({ status: 202 });
    expect(runsAsked()).toBe(before);
  });

  test.each(["PUT", "PATCH"])("%s is 405 with what there is", async (method) => {
    const answer = await session.send(ping, { method });
    expect(refusalOf(answer)).toEqual({ status: 405, code: -32_000 });
    expect(answer.headers.get("allow")).toBe("DELETE, GET, HEAD, OPTIONS, POST");
  });

  test("a trailing slash makes no difference, also to a 400", async () => {
    const sent = {
      method: "POST",
      body: "{}",
      headers: { accept: acceptBoth, "content-type": "application/json" },
    };
    const answer = await fetch(`${daemon.url}/mcp/`, sent);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32_600 } });
  });
});

describe("batches, of the one revision that has them", () => {
  test("every request is answered, in one stream; notifications are not", async () => {
    const old = await openRawSession(daemon.url, "2025-03-26");
    const { messages } = await old.send([
      { ...ping, id: "one" },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      callMessage(2, "helper"),
      { jsonrpc: "2.0", id: 3, method: "nothing" },
    ]);
    expect(messages).toHaveLength(3);
    expect(messages.find(({ id }) => id === "one").result).toEqual({});
    expect(messages.find(({ id }) => id === 2).result.content[0].text).toBe("Hello there.");
    expect(messages.find(({ id }) => id === 3).error.code).toBe(-32_601);
    expect((await old.send([{ jsonrpc: "2.0", method: "notifications/initialized" }])).status).toBe(202);
  });

  test("a batch with an id twice is 400, and none of its calls is made", async () => {
    const old = await openRawSession(daemon.url, "2025-03-26");
    const before = runsAsked();
    const answer = await old.send([callMessage(1, "helper"), callMessage(1, "helper")]);
    expect(refusalOf(answer)).toEqual({ status: 400, code: -32_600 });
    expect(runsAsked()).toBe(before);
    expect((await old.send([ping])).messages).toHaveLength(1);
  });

  test("what is taken back in the same batch gets no answer, the others do, and the stream ends", async () => {
    const old = await openRawSession(daemon.url, "2025-03-26");
    const cancel = (requestId: unknown) => ({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId },
    });
    const { messages } = await old.send([
      callMessage(0, "helper"),
      { ...ping, id: 1 },
      { ...ping, id: 2 },
      cancel(0),
      cancel(2),
    ]);
    expect(messages).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
    expect((await old.send([callMessage(0, "helper")])).messages).toHaveLength(1);
  });
});

describe("when exposed", () => {
  test("a request without the token is 401 before any other check", async () => {
    for (const sent of [initializeMessage(), "{", undefined]) {
      const answer = await sendRpc(exposed.url, sent);
      expect(refusalOf(answer)).toEqual({ status: 401, code: -32_000 });
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
    const listen = await sendRpc(exposed.url, undefined, { method: "GET" });
    expect(listen.status).toBe(401);
  });

  test("a session id without a key is 401", async () => {
    const own = await openRawSession(exposed.url, "2025-11-25", { authorization: `Bearer ${token}` });
    expect((await own.send(ping)).status).toBe(200);
    const stolen = await sendRpc(exposed.url, ping, { headers: { "mcp-session-id": own.id } });
    expect(stolen.status).toBe(401);
    const guessed = { "mcp-session-id": own.id, authorization: "Bearer wrong" };
    expect((await sendRpc(exposed.url, ping, { headers: guessed })).status).toBe(401);
  });
});

describe("corpora", () => {
  type Entry = { id: string; input: DescribedText; why: string; expected: string };
  /** `tests/http/json-bodies.test.ts` sends every entry to a route; here is one for each outcome. */
  const entries = onePer(jsonBodies.entries as Entry[], ({ expected }) => expected);

  test.each(entries)("json_bodies $id $why", async ({ input }) => {
    const body = describedBytes(input);
    const answer = await daemon.call("POST", "/mcp", {
      body,
      headers: {
        accept: acceptBoth,
        "content-type": "application/json",
        "mcp-session-id": session.id,
      },
    });
    expect([400, 413]).toContain(answer.status);
    expect(answer.body).toMatchObject({ jsonrpc: "2.0", id: null });
    expect((await session.send(ping)).status).toBe(200);
  });

  interface Hostile {
    id: string;
    input: { "our /mcp"?: string };
    why: string;
    expected: string;
  }
  const hostile = (mcpHostile.entries as Hostile[]).filter(({ input }) => input["our /mcp"] !== undefined);

  test.each(hostile)("mcp_hostile $id $why: $expected", async ({ input, expected }) => {
    expect(input["our /mcp"]).toBe("POST from evil Origin");
    expect(expected).toStartWith("403");
    const before = runsAsked();
    for (const origin of [
      "https://evil.example",
      "http://localhost.evil.example",
      "http://127.0.0.1.evil.example:80",
      "null",
      "file://",
      "chrome-extension://abc",
      "",
    ]) {
      for (const body of [initializeMessage(), callMessage(1, "helper")]) {
        const answer = await session.send(body, { headers: { origin } });
        expect({ origin, status: answer.status }).toEqual({ origin, status: 403 });
        expect(answer.headers.get("mcp-session-id")).toBeNull();
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      }
    }
    expect(runsAsked()).toBe(before);
    for (const origin of ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:9"]) {
      expect((await session.send(ping, { headers: { origin } })).status).toBe(200);
    }
    const named = { authorization: `Bearer ${token}`, origin: "https://argosy.example" };
    expect((await sendRpc(exposed.url, initializeMessage(), { headers: named })).status).toBe(200);
  });
});

test("mutations of valid messages never harm the session, and are never 500 or more", async () => {
  const good = [
    ping,
    initializeMessage(),
    callMessage(1, "helper", "hi", { progressToken: 1 }),
    { jsonrpc: "2.0", id: 2, method: "tools/list", params: { cursor: "YQ" } },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "x" } },
    { jsonrpc: "2.0", id: 3, method: "resources/read", params: { uri: "argosy://agents/helper" } },
  ];
  const texts = good.map((message) => JSON.stringify(message));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.nat({ max: 12 }),
      fc.oneof(
        fc.constantFrom("", "null", "[]", "{}", "1e99", '"', "}", "\\u0000", "__proto__"),
        fc.string({ maxLength: 6 }),
      ),
      async (text, at, length, put) => {
        const from = at % text.length;
        const mutated = text.slice(0, from) + put + text.slice(from + length);
        const answer = await session.send(mutated);
        expect(answer.status).toBeLessThan(500);
        for (const message of answer.messages) expect(message.jsonrpc).toBe("2.0");
      },
    ),
    { numRuns: 300 },
  );
  expect((await session.send(ping)).messages).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
});
