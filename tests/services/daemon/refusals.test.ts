import { afterAll, beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { ErrorBody } from "../../../src/contracts/error-body.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../support/daemon.ts";

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon({
    agents: {
      "helper.agent.yaml": agentFile("helper"),
      "broken.agent.yaml": agentFile("broken", { knowledge: { pipeline: "handbook" } }),
      "busy.agent.yaml": agentFile("busy", { tools: [{ name: "datetime_now", type: "builtin" }] }),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

interface Row {
  what: string;
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  status: number;
  error: string;
  has?: object;
}

const run = "/v1/agents/helper/run";
const execute = "/v1/tools/execute";
const long = (bytes: number) => "x".repeat(bytes);

const rows: Row[] = [
  {
    what: "an unknown agent",
    path: "/v1/agents/helpre/run",
    body: { query: "hi" },
    status: 404,
    error: "agent_not_found",
    has: { hint: "Did you mean helper?" },
  },
  {
    what: "the page of an unknown agent",
    method: "GET",
    path: "/v1/agents/nobody",
    status: 404,
    error: "agent_not_found",
  },
  {
    what: "an agent named like a method of objects",
    method: "GET",
    path: "/v1/agents/constructor",
    status: 404,
    error: "agent_not_found",
  },
  {
    what: "a run of __proto__",
    path: "/v1/agents/__proto__/run",
    body: { query: "hi" },
    status: 404,
    error: "agent_not_found",
  },
  {
    what: "the history of an unknown agent",
    method: "GET",
    path: "/v1/memory/nobody/history/s",
    status: 404,
    error: "agent_not_found",
  },
  {
    what: "clearing the history of an unknown agent",
    method: "DELETE",
    path: "/v1/memory/toString/history/s",
    status: 404,
    error: "agent_not_found",
  },
  {
    what: "an agent that could not be loaded",
    path: "/v1/agents/broken/run",
    body: { query: "hi" },
    status: 503,
    error: "agent_failed",
    has: {
      hint: expect.stringContaining("agents/broken.agent.yaml"),
      problems: [{ path: "spec.knowledge.pipeline" }],
    },
  },
  {
    what: "an unknown trace",
    method: "GET",
    path: "/v1/traces/01a1fbb5-c028-70fa-8f9d-03e91411749c",
    status: 404,
    error: "trace_not_found",
  },
  {
    what: "a trace that can't be",
    method: "GET",
    path: "/v1/traces/constructor",
    status: 404,
    error: "trace_not_found",
  },
  {
    what: "an unknown tool",
    path: execute,
    body: { tool: "datetime_not", input: {} },
    status: 404,
    error: "tool_not_found",
    has: { hint: "Did you mean datetime_now?" },
  },
  {
    what: "a tool named like a method of objects",
    path: execute,
    body: { tool: "constructor", input: {} },
    status: 404,
    error: "tool_not_found",
  },
  {
    what: "a tool that the agent has not got",
    path: execute,
    body: { tool: "json_transform", input: {}, agent: "busy" },
    status: 404,
    error: "tool_not_found",
  },
  {
    what: "a tool of an unknown agent",
    path: execute,
    body: { tool: "datetime_now", input: {}, agent: "nobody" },
    status: 404,
    error: "agent_not_found",
  },
  {
    what: "a tool without an input",
    path: execute,
    body: { tool: "datetime_now" },
    status: 400,
    error: "invalid_request",
    has: { problems: [{ path: "input", message: "is required" }] },
  },
  {
    what: "a tool's input that is a list",
    path: execute,
    body: { tool: "datetime_now", input: [] },
    status: 400,
    error: "invalid_request",
  },
  {
    what: "a tool's session id with a line break",
    path: execute,
    body: { tool: "datetime_now", input: {}, session_id: "a\nb" },
    status: 400,
    error: "invalid_request",
  },
  { what: "no body", path: run, status: 400, error: "invalid_request" },
  { what: "a body that is not JSON", path: run, body: "query=hi", status: 400, error: "invalid_request" },
  { what: "a body that is a list", path: run, body: "[]", status: 400, error: "invalid_request" },
  {
    what: "no query",
    path: run,
    body: {},
    status: 400,
    error: "invalid_request",
    has: { problems: [{ path: "query", message: "is required" }] },
  },
  { what: "an empty query", path: run, body: { query: "" }, status: 400, error: "invalid_request" },
  { what: "a query that is a number", path: run, body: { query: 7 }, status: 400, error: "invalid_request" },
  {
    what: "a query that can't be written as text",
    path: run,
    body: { query: { toString: 1 } },
    status: 400,
    error: "invalid_request",
    has: {
      problems: [{ path: "query", message: expect.stringContaining("must be 1 to 262144 characters") }],
    },
  },
  {
    what: "a tool's name that can't be written as text",
    path: execute,
    body: { tool: [{ toString: 1 }], input: {} },
    status: 400,
    error: "invalid_request",
  },
  {
    what: "an unknown field",
    path: run,
    body: { query: "hi", sesion_id: "s" },
    status: 400,
    error: "invalid_request",
    has: { problems: [{ path: "sesion_id", message: "is not a field here (did you mean session_id?)" }] },
  },
  {
    what: "an empty session id",
    path: run,
    body: { query: "hi", session_id: "" },
    status: 400,
    error: "invalid_request",
  },
  {
    what: "a session id of 256 characters",
    path: run,
    body: { query: "hi", session_id: long(256) },
    status: 400,
    error: "invalid_request",
  },
  {
    what: "a session id with a control character",
    path: run,
    body: { query: "hi", session_id: "a\u0085b" },
    status: 400,
    error: "invalid_request",
  },
  {
    what: "a session id of null",
    path: run,
    body: { query: "hi", session_id: null },
    status: 400,
    error: "invalid_request",
  },
  {
    what: "a query over 256 KiB",
    path: run,
    body: { query: long(256 * 1024 + 1) },
    status: 400,
    error: "invalid_request",
  },
  {
    what: "a query over 256 KiB of UTF-8",
    path: run,
    body: { query: "é".repeat(128 * 1024 + 1) },
    status: 400,
    error: "invalid_request",
    has: { problems: [{ path: "query" }] },
  },
  {
    what: "a context over 64 KiB",
    path: run,
    body: { query: "hi", context: { a: long(64 * 1024) } },
    status: 400,
    error: "invalid_request",
    has: { problems: [{ path: "context" }] },
  },
  {
    what: "a reserved context key",
    path: run,
    body: { query: "hi", context: { _tenant: "a" } },
    status: 400,
    error: "invalid_request",
    has: { problems: [{ path: "context._tenant" }] },
  },
  {
    what: "a context that is a list",
    path: run,
    body: { query: "hi", context: [] },
    status: 400,
    error: "invalid_request",
  },
  {
    what: "a number that a double can't hold",
    path: run,
    body: '{"query":"hi","context":{"n":9007199254740993}}',
    status: 400,
    error: "number_not_representable",
  },
  {
    what: "a body over 1 MiB",
    path: run,
    body: { query: long(1024 * 1024) },
    status: 413,
    error: "body_too_large",
  },
  {
    what: "a URL over 8 KiB",
    method: "GET",
    path: `/v1/traces?agent=${long(8200)}`,
    status: 413,
    error: "body_too_large",
  },
  {
    what: "an encoded body",
    path: run,
    body: { query: "hi" },
    headers: { "content-encoding": "gzip" },
    status: 415,
    error: "unsupported_media_type",
  },
  {
    what: "a form from a browser",
    path: run,
    body: '{"query":"hi"}',
    headers: { "sec-fetch-site": "same-origin", "content-type": "text/plain" },
    status: 415,
    error: "unsupported_media_type",
  },
  {
    what: "a history's session id with a line break",
    method: "GET",
    path: "/v1/memory/helper/history/a%0Ab",
    status: 400,
    error: "invalid_request",
    has: { problems: [{ path: "session" }] },
  },
  {
    what: "clearing a session id of 256 characters",
    method: "DELETE",
    path: `/v1/memory/helper/history/${long(256)}`,
    status: 400,
    error: "invalid_request",
  },
  {
    what: "a plain GET of the WebSocket",
    method: "GET",
    path: "/v1/ws/agent/helper",
    status: 400,
    error: "websocket_required",
  },
];

test.each(rows)("$what is $status $error", async ({ method = "POST", path, body, headers = {}, ...row }) => {
  const answer = await daemon.call(method, path, { body, headers });
  expect(answer.body.error).toBe(row.error);
  expect(answer.status).toBe(row.status);
  expect([...Value.Errors(ErrorBody, answer.body)]).toEqual([]);
  if (row.has !== undefined) expect(answer.body).toMatchObject(row.has);
  expect(answer.text.length).toBeLessThan(2000);
});

test("nothing that was refused at the door called a model, was traced or was counted as a run", async () => {
  expect(daemon.models.lab.requests).toEqual([]);
  expect((await daemon.call("GET", "/v1/traces")).body.traces).toEqual([]);
  expect((await daemon.call("GET", "/v1/metrics")).body.counters["agent.runs"]).toBeUndefined();
});

test.each([
  ["as long as it may be", { query: long(256 * 1024) }],
  ["with a session id of 255 characters", { query: "hi", session_id: long(255) }],
  ["with a context of 64 KiB", { query: "hi", context: { a: long(64 * 1024 - 8) } }],
])("a request %s is taken", async (_what, body) => {
  expect((await daemon.run("helper", body)).status).toBe(200);
});
