import { expect, test } from "bun:test";
import { openSocket } from "../../../support/agent-stream.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { type MetricFamily, readExposition } from "../../../support/exposition.ts";

async function scrape(daemon: TestDaemon): Promise<Map<string, MetricFamily>> {
  const answer = await daemon.call("GET", "/metrics");
  expect(answer.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  return readExposition(answer.text);
}

/** Returns `{a="1"} 3` for each sample of a metric except buckets. */
function values(families: Map<string, MetricFamily>, name: string): Record<string, number> {
  const samples = families.get(name)?.samples ?? [];
  return Object.fromEntries(
    samples
      .filter((sample) => !sample.name.endsWith("_bucket"))
      .map((sample) => [`${sample.name.slice(name.length)}${JSON.stringify(sample.labels)}`, sample.value]),
  );
}

/** The metrics of the contract, with their types and labels, and ours. */
const metrics: [name: string, type: string, labels: string[]][] = [
  ["platform_agent_runs_total", "counter", ["agent_name", "pattern", "status"]],
  ["platform_provider_calls_total", "counter", ["provider", "model", "status"]],
  ["platform_tool_executions_total", "counter", ["tool_name", "status"]],
  ["platform_tokens_used_total", "counter", ["agent_name", "direction"]],
  ["platform_agent_latency_seconds", "histogram", ["agent_name", "pattern"]],
  ["platform_provider_latency_seconds", "histogram", ["provider", "model"]],
  ["platform_active_sessions", "gauge", ["agent_name"]],
  ["platform_run_overhead_seconds", "histogram", []],
  ["platform_runs_in_flight", "gauge", []],
  ["platform_runs_waiting", "gauge", []],
  ["platform_background_in_work", "gauge", ["pool"]],
  ["platform_background_waiting", "gauge", ["pool"]],
  ["platform_event_loop_lag_seconds", "gauge", []],
  ["platform_event_loop_stalls_total", "counter", []],
  ["platform_model_cost_micros_total", "counter", ["agent_name", "provider", "model"]],
];

/** Metrics that stay unchanged by a run without documents, memory failures and canaries. */
const others: [name: string, type: string][] = [
  ["platform_canary_ends_total", "counter"],
  ["platform_canary_percent", "gauge"],
  ["platform_canary_runs_total", "counter"],
  ["platform_memory_failures_total", "counter"],
  ["platform_rag_chunks_total", "counter"],
  ["platform_rag_documents_total", "counter"],
  ["platform_rag_query_seconds", "histogram"],
];

const withTool = () =>
  startDaemon({
    models: {
      lab: (request) =>
        request.body.messages.at(-1)?.role === "tool"
          ? { text: "It is noon." }
          : {
              toolCalls: [
                { name: "datetime_now", arguments: {} },
                { name: "no_such_tool", arguments: {} },
              ],
            },
    },
    agents: {
      "helper.agent.yaml": agentFile("helper", { tools: [{ name: "datetime_now", type: "builtin" }] }),
    },
  });

test("before anything ran, every metric has its head and the page is sound", async () => {
  await using daemon = await startDaemon();
  const families = await scrape(daemon);
  expect([...families.values()].map(({ name, type }) => `${name} ${type}`).sort()).toEqual(
    [...metrics, ...others].map(([name, type]) => `${name} ${type}`).sort(),
  );
});

test("after a run with tools, every metric has just its labels", async () => {
  await using daemon = await withTool();
  await daemon.run("helper", { query: "time?" });
  const families = await scrape(daemon);
  for (const [name, , labels] of metrics) {
    const samples = families.get(name)?.samples ?? [];
    expect(samples.length).toBeGreaterThan(0);
    for (const sample of samples) {
      expect(
        Object.keys(sample.labels)
          .filter((label) => label !== "le")
          .sort(),
      ).toEqual([...labels].sort());
    }
  }
  expect(values(families, "platform_agent_runs_total")).toEqual({
    '{"agent_name":"helper","pattern":"react","status":"ok"}': 1,
  });
  expect(values(families, "platform_provider_calls_total")).toEqual({
    '{"provider":"lab","model":"test-model","status":"ok"}': 2,
  });
  // A tool name that a model makes up is not used as a label.
  expect(values(families, "platform_tool_executions_total")).toEqual({
    '{"tool_name":"datetime_now","status":"ok"}': 1,
    '{"tool_name":"unknown","status":"error"}': 1,
  });
  expect(values(families, "platform_tokens_used_total")).toEqual({
    '{"agent_name":"helper","direction":"input"}': 20,
    '{"agent_name":"helper","direction":"output"}': 10,
  });
});

test("the same is counted over REST, until it is reset; Prometheus' counters stay", async () => {
  await using daemon = await withTool();
  await daemon.run("helper", { query: "time?" });
  const { body } = await daemon.call("GET", "/v1/metrics");
  expect(body.counters).toEqual({
    "agent.runs": 1,
    "provider.calls": 2,
    "tool.executions": 2,
    "tokens.input": 20,
    "tokens.output": 10,
  });
  const summary = { count: 1, sum: 0, avg: 0, min: 0, max: 0 };
  expect(body.histograms).toEqual({
    "agent.latency_ms": summary,
    "provider.latency_ms": { ...summary, count: 2 },
    "tool.latency_ms": { ...summary, count: 2 },
  });
  expect((await daemon.call("POST", "/v1/metrics/reset")).body).toEqual({ status: "reset" });
  expect((await daemon.call("GET", "/v1/metrics")).body).toEqual({ counters: {}, histograms: {} });
  const kept = await scrape(daemon);
  expect(Object.values(values(kept, "platform_agent_runs_total"))).toEqual([1]);
});

test("sessions with a run in flight are counted once each", async () => {
  const held = Promise.withResolvers<void>();
  await using daemon = await startDaemon({ models: { lab: () => ({ text: "Fine.", after: held.promise }) } });
  const sessions = ["a", "a", "b"];
  const running = sessions.map((session_id) => daemon.run("helper", { query: "hi", session_id }));
  while (daemon.models.lab.requests.length < sessions.length) await daemon.call("GET", "/v1/health");
  const during = await scrape(daemon);
  expect(values(during, "platform_active_sessions")).toEqual({ '{"agent_name":"helper"}': 2 });
  expect(values(during, "platform_runs_in_flight")).toEqual({ "{}": 3 });
  held.resolve();
  await Promise.all(running);
  const after = await scrape(daemon);
  expect(values(after, "platform_active_sessions")).toEqual({ '{"agent_name":"helper"}': 0 });
  expect(values(after, "platform_runs_in_flight")).toEqual({ "{}": 0 });
});

test("what callers name can't break the page, nor make it grow without end", async () => {
  await using daemon = await startDaemon({ models: { lab: [{ status: 400, body: "{}" }] } });
  const hostile = ['a"b', "a\\b", "a\nb", 'a",status="ok', "a} 1\nforged_total 1", "é👍", "a\\"];
  const many = Array.from({ length: 300 }, (_, number) => `made-up-${number}`);
  for (const model of [...hostile, ...many]) {
    const body = { model: `lab/${model}`, messages: [{ role: "user", content: "hi" }] };
    expect((await daemon.call("POST", "/v1/chat/completions", { body })).status).toBe(400);
  }
  const calls = (await scrape(daemon)).get("platform_provider_calls_total")?.samples ?? [];
  const named = calls.map(({ labels }) => labels.model);
  for (const model of hostile) expect(named).toContain(model);
  expect(named).toContain("other");
  expect(new Set(named).size).toBe(257);
  expect(calls.reduce((sum, { value }) => sum + value, 0)).toBe(hostile.length + many.length);
});

test("a socket that answers many queries counts each", async () => {
  await using daemon = await startDaemon();
  const socket = await openSocket(daemon.url, "helper");
  for (let number = 0; number < 3; number++) {
    socket.send({ query: "hi" });
    await socket.answer();
  }
  socket.leave();
  expect(Object.values(values(await scrape(daemon), "platform_agent_runs_total"))).toEqual([3]);
});
