import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { AgentDeleted, AgentDetail, AgentList, ManifestCheck } from "../../../src/contracts/daemon/agents.ts";
import { Gallery } from "../../../src/contracts/daemon/gallery.ts";
import { ContextView } from "../../../src/contracts/daemon/memory/context-window.ts";
import { History, HistoryCleared } from "../../../src/contracts/daemon/memory/memory.ts";
import { MetricsReset, MetricsSnapshot } from "../../../src/contracts/daemon/metrics.ts";
import { ProviderList } from "../../../src/contracts/daemon/models/providers.ts";
import { ModelList } from "../../../src/contracts/daemon/openai.ts";
import { RunResult, Trace } from "../../../src/contracts/daemon/runs/run.ts";
import { RunStats } from "../../../src/contracts/daemon/runs/run-stats.ts";
import { TraceList } from "../../../src/contracts/daemon/runs/traces.ts";
import { DoctorReport, Health, SystemStatus } from "../../../src/contracts/daemon/system.ts";
import { BuiltinToolList, ToolExecuted, ToolList } from "../../../src/contracts/daemon/tools.ts";
import { ErrorBody } from "../../../src/contracts/error-body.ts";
import { Liveness, Readiness } from "../../../src/contracts/health.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../support/daemon.ts";

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon({
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        identity: { description: "Helps." },
        tools: [{ name: "datetime_now", type: "builtin" }],
      }),
      "broken.agent.yaml": agentFile("broken", { knowledge: { pipeline: "handbook" } }),
    },
  });
  await daemon.run("helper", { query: "hi", session_id: "s1" });
});

afterAll(() => daemon[Symbol.asyncDispose]());

interface Row {
  method: string;
  path: string;
  schema: TSchema;
  body?: unknown;
  /** 200 by default. */
  status?: number;
  has?: object;
}

const rows: Row[] = [
  { method: "GET", path: "/health", schema: Health, has: { status: "healthy", agents_loaded: 1 } },
  { method: "GET", path: "/v1/health", schema: Health, has: { status: "healthy", agents_loaded: 1 } },
  { method: "GET", path: "/healthz", schema: Liveness, has: { service: "daemon" } },
  ...["join", "leave", "heartbeat", "gossip", "election", "run", "peer", "invite"].map((name) => ({
    method: "POST",
    path: `/v1/mesh/${name}`,
    schema: ErrorBody,
    body: {},
    status: 503,
    has: { error: "mesh_disabled" },
  })),
  { method: "GET", path: "/v1/mesh/state", schema: ErrorBody, status: 503, has: { error: "mesh_disabled" } },
  { method: "GET", path: "/readyz", schema: Readiness, has: { status: "ready" } },
  { method: "GET", path: "/v1/agents", schema: AgentList },
  {
    method: "GET",
    path: "/v1/agents/helper",
    schema: AgentDetail,
    has: { name: "helper", status: "ready", model: { primary: { provider: "lab", model: "test-model" } } },
  },
  {
    method: "GET",
    path: "/v1/agents/broken",
    schema: AgentDetail,
    has: { status: "failed", persisted: true, problems: [{ path: "spec.knowledge.pipeline" }] },
  },
  {
    method: "GET",
    path: "/v1/agents/helper/manifest?format=json",
    schema: Type.Unknown(),
    has: { kind: "Agent", metadata: { name: "helper" } },
  },
  {
    method: "POST",
    path: "/v1/agents/validate",
    schema: ManifestCheck,
    body: JSON.parse(agentFile("other")),
    has: { valid: true, name: "other" },
  },
  {
    method: "PUT",
    path: "/v1/agents/passing",
    schema: AgentDetail,
    body: JSON.parse(agentFile("passing")),
    status: 201,
    has: { name: "passing", persisted: false },
  },
  { method: "POST", path: "/v1/agents/passing/pause", schema: AgentDetail, has: { status: "paused" } },
  { method: "POST", path: "/v1/agents/passing/deploy", schema: AgentDetail, has: { status: "ready" } },
  {
    method: "DELETE",
    path: "/v1/agents/passing",
    schema: AgentDeleted,
    has: { status: "deleted", name: "passing" },
  },
  {
    method: "POST",
    path: "/v1/agents/helper/run",
    schema: RunResult,
    body: { query: "hi", session_id: "s1", context: { page: 3 } },
    has: {
      agent: "helper",
      session_id: "s1",
      response: "Hello there.",
      provider: "lab",
      model: "test-model",
    },
  },
  { method: "GET", path: "/v1/memory/helper/history/s1", schema: History, has: { session_id: "s1" } },
  {
    method: "DELETE",
    path: "/v1/memory/helper/history/gone",
    schema: HistoryCleared,
    has: { status: "cleared", agent: "helper", session_id: "gone" },
  },
  {
    method: "GET",
    path: "/v1/tools",
    schema: ToolList,
    has: { tools: [{ name: "datetime_now", agents: ["helper"] }] },
  },
  { method: "GET", path: "/v1/tools/builtin", schema: BuiltinToolList },
  {
    method: "POST",
    path: "/v1/tools/execute",
    schema: ToolExecuted,
    body: { tool: "datetime_now", input: {} },
    has: { tool: "datetime_now", output: { success: true, data: { timezone: "UTC" } } },
  },
  {
    method: "POST",
    path: "/v1/tools/execute",
    schema: ToolExecuted,
    body: { tool: "datetime_now", input: { zone: "UTC" }, agent: "helper", session_id: "s1" },
    has: { output: { success: false } },
  },
  { method: "GET", path: "/v1/traces", schema: TraceList },
  { method: "GET", path: "/v1/stats/runs", schema: RunStats },
  {
    method: "GET",
    path: "/v1/memory/helper/context/s1?query=hi",
    schema: ContextView,
    has: { agent: "helper", session_id: "s1" },
  },
  { method: "GET", path: "/v1/gallery", schema: Gallery },
  { method: "GET", path: "/v1/metrics", schema: MetricsSnapshot },
  {
    method: "GET",
    path: "/v1/system/status",
    schema: SystemStatus,
    has: { mode: "standalone", agents_loaded: 1 },
  },
  {
    method: "GET",
    path: "/v1/system/providers",
    schema: ProviderList,
    has: { rehearsing: false, providers: [{ name: "lab", type: "vllm" }] },
  },
  { method: "GET", path: "/v1/system/doctor", schema: DoctorReport },
  { method: "GET", path: "/v1/models", schema: ModelList, has: { data: [{ id: "agent/helper" }] } },
  { method: "POST", path: "/v1/metrics/reset", schema: MetricsReset, has: { status: "reset" } },
];

describe.each(["", "/"])("with %p after the path", (slash) => {
  test.each(rows)(
    "$method $path answers by its contract",
    async ({ method, path, schema, body, status = 200, has }) => {
      const [plain = "", query = ""] = path.split(/(?=\?)/);
      const answer = await daemon.call(method, `${plain}${slash}${query}`, { body });
      expect(answer.status).toBe(status);
      expect([...Value.Errors(schema, answer.body)]).toEqual([]);
      if (has !== undefined) expect(answer.body).toMatchObject(has);
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect(answer.headers.get("x-request-id")).not.toBeNull();
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );
});

test("the list shows every agent, ready or not, under both names of its pattern", async () => {
  const { body } = await daemon.call("GET", "/v1/agents");
  expect(body.agents).toEqual([
    {
      name: "broken",
      description: "",
      model: "lab/test-model",
      orchestration: "react",
      pattern: "react",
      status: "failed",
      error: expect.stringContaining("spec.knowledge"),
    },
    {
      name: "helper",
      description: "Helps.",
      model: "lab/test-model",
      orchestration: "react",
      pattern: "react",
      status: "ready",
    },
  ]);
});

test("a run's trace is attached when asked for, and is the one that is kept", async () => {
  const { body: result } = await daemon.call("POST", "/v1/agents/helper/run?trace=true", {
    body: { query: "hi" },
  });
  expect(Value.Check(Trace, result.trace)).toBe(true);
  expect(result.trace.trace_id).toBe(result.trace_id);
  const { body: kept } = await daemon.call("GET", `/v1/traces/${result.trace_id}`);
  expect(kept).toEqual(result.trace);
  const names = kept.spans.map((span: { name: string }) => span.name);
  expect(names).toEqual([
    "agent.run",
    "memory_build",
    "prompt_render",
    "orchestration",
    "llm.complete",
    "memory_persist",
  ]);
  const [root] = kept.spans;
  expect(root.attributes).toMatchObject({ agent: "helper", session: result.session_id });
  expect((await daemon.run("helper", { query: "hi" })).body).not.toHaveProperty("trace");
  const refused = await daemon.call("POST", "/v1/agents/helper/run?trace=yes", { body: { query: "hi" } });
  expect(refused.status).toBe(400);
});

test("a session id is made where none is given, another each time", async () => {
  const [one, two] = await Promise.all([
    daemon.run("helper", { query: "hi" }),
    daemon.run("helper", { query: "hi" }),
  ]);
  expect(one.body.session_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(one.body.session_id).not.toBe(two.body.session_id);
});

test("traces are listed newest first, of one agent when asked, with the limit cut to 100", async () => {
  await using own = await startDaemon({
    agents: { "one.agent.yaml": agentFile("one"), "two.agent.yaml": agentFile("two") },
  });
  const made: string[] = [];
  for (let number = 0; number < 103; number++) {
    const { body } = await own.run(number % 2 === 0 ? "one" : "two", { query: `${number}` });
    made.unshift(body.trace_id);
    // Some are written and some are still on their way.
    await own.clock.advance(number === 60 ? 300 : 1);
  }
  const idsOf = async (query: string) =>
    (await own.call("GET", `/v1/traces${query}`)).body.traces.map((trace: Trace) => trace.trace_id);
  expect(await idsOf("")).toEqual(made.slice(0, 20));
  expect(await idsOf("?limit=3")).toEqual(made.slice(0, 3));
  expect(await idsOf("?limit=100")).toEqual(made.slice(0, 100));
  expect(await idsOf("?limit=201")).toEqual(made.slice(0, 100));
  expect(await idsOf("?agent=two&limit=30")).toEqual(made.filter((_, index) => index % 2 === 1).slice(0, 30));
  expect(await idsOf("?agent=nobody")).toEqual([]);
});

test.each(["0", "-1", "abc", "1.5", "1e2", "0x10", "", "%201"])("the limit %p is 400", async (limit) => {
  const { status, body } = await daemon.call("GET", `/v1/traces?limit=${limit}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: "invalid_request", problems: [{ path: "limit" }] });
});

test.each([
  ["GET", "/v1/agents/helper/run", "OPTIONS, POST"],
  ["PUT", "/v1/agents/helper/run/", "OPTIONS, POST"],
  ["DELETE", "/v1/agents", "GET, HEAD, OPTIONS, POST"],
  ["PATCH", "/v1/memory/helper/history/s1", "DELETE, GET, HEAD, OPTIONS"],
  ["DELETE", "/v1/traces", "GET, HEAD, OPTIONS"],
  ["GET", "/v1/chat/completions", "OPTIONS, POST"],
  ["POST", "/metrics", "GET, HEAD, OPTIONS"],
  ["TRACE", "/v1/agents", "GET, HEAD, OPTIONS, POST"],
  ["GET", "/v1/agents/helper/pause", "OPTIONS, POST"],
  ["POST", "/v1/agents/helper", "DELETE, GET, HEAD, OPTIONS, PUT"],
  ["PUT", "/v1/agents/helper/manifest", "GET, HEAD, OPTIONS"],
])("%s %s is 405 and says what is allowed", async (method, path, allow) => {
  const answer = await daemon.call(method, path);
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe(allow);
  const options = await daemon.call("OPTIONS", path);
  expect({ status: options.status, allow: options.headers.get("allow") }).toEqual({ status: 204, allow });
});

test.each([
  "/v2",
  "/v1",
  "/v1/agent",
  "/v1/agents/helper/run/now",
  "/v1/memory/helper/history",
  "/v1/ws/agent",
])("%s is 404", async (path) => {
  const { status, body } = await daemon.call("GET", path);
  expect({ status, error: body.error }).toEqual({ status: 404, error: "not_found" });
});

test("every path of the contract is in the OpenAPI document, with its answer's schema", async () => {
  const { body } = await daemon.call("GET", "/openapi.json");
  const documented = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const missing = rows
    .map(({ method, path }) => `${method} ${path}`)
    .map((route) => route.replace(/\/(?:helper|broken|passing)\b/, "/{name}").replace(/\?.*/, ""))
    .map((route) => route.replace(/memory\/\{name\}\/(history|context)\/\w+/, "memory/{agent}/$1/{session}"))
    .filter((route) => !documented.includes(route));
  expect(missing).toEqual([]);
  expect(documented).toContain("GET /metrics");
  expect(Value.Check(ErrorBody, (await daemon.call("GET", "/v1/agents/nobody")).body)).toBe(true);
});
