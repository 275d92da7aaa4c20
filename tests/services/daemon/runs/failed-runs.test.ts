import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelStep } from "../../../support/model-server.ts";

let daemon: TestDaemon;
let next: ModelStep = {};

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: () => next },
    agents: {
      "helper.agent.yaml": agentFile("helper"),
      "strict.agent.yaml": agentFile("strict", {
        guardrails: {
          input: [{ type: "max_length", action: "block", max_chars: 20 }],
          output: [{ type: "pii_detection", action: "block", entities: ["email"] }],
        },
      }),
      "busy.agent.yaml": agentFile("busy", {
        tools: [{ name: "datetime_now", type: "builtin" }],
        orchestration: { max_iterations: 3 },
      }),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const overlong = {
  error: { message: "This model's maximum context length is 8192 tokens", code: "context_length_exceeded" },
};

describe("a run that fails says why, is traced and is counted", () => {
  test.each([
    [
      "a query that a guardrail blocks",
      "strict",
      "a query of more than twenty characters",
      { text: "Fine." },
      422,
      "guardrail_blocked",
      "blocked",
      { type: "max_length", stage: "input" },
    ],
    [
      "an answer that a guardrail blocks",
      "strict",
      "hi",
      { text: "Write to ann@example.com." },
      422,
      "guardrail_blocked",
      "blocked",
      { type: "pii_detection", stage: "output" },
    ],
    [
      "a model that only ever calls tools",
      "busy",
      "hi",
      { toolCalls: [{ name: "datetime_now", arguments: {} }] },
      422,
      "max_iterations",
      "error",
      {},
    ],
    [
      "a conversation too long for the model",
      "helper",
      "hi",
      { status: 400, body: JSON.stringify(overlong) },
      422,
      "context_length_exceeded",
      "error",
      {},
    ],
    [
      "content that the provider refuses",
      "helper",
      "hi",
      { text: [], finish: "content_filter" },
      422,
      "content_refused",
      "error",
      {},
    ],
    [
      "a provider that answers garbage",
      "helper",
      "hi",
      { body: "<garbage>" },
      502,
      "provider_failed",
      "error",
      {},
    ],
  ] as const)("%s", async (_what, agent, query, step, status, error, outcome, facts) => {
    next = step;
    const answer = await daemon.run(agent, { query, session_id: "failing" });
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
    expect(answer.body).toMatchObject(facts);
    const { body } = await daemon.call("GET", `/v1/traces?agent=${agent}&limit=1`);
    expect(body.traces[0]).toMatchObject({ agent, status: "ERROR", trace_id: answer.body.trace_id });
    expect(body.traces[0].spans[0].attributes).toMatchObject({ status: outcome, error });
    const metrics = (await daemon.call("GET", "/metrics")).text;
    expect(metrics).toContain(
      `platform_agent_runs_total{agent_name="${agent}",pattern="react",status="${outcome}"}`,
    );
    const history = await daemon.call("GET", `/v1/memory/${agent}/history/failing`);
    expect(history.body.messages).toEqual([]);
  });
});

test("a run that takes too long is 408", async () => {
  next = { after: new Promise(() => {}) };
  const asked = daemon.models.lab.requests.length;
  const answer = daemon.run("helper", { query: "hi" });
  while (daemon.models.lab.requests.length === asked) await daemon.clock.advance(1);
  await daemon.clock.advance(120_000);
  expect((await answer).body).toMatchObject({ error: "orchestration_timeout" });
  expect((await answer).status).toBe(408);
  await daemon.models.lab.requests.at(-1)?.cut;
  const { body } = await daemon.call("GET", "/v1/traces?limit=1");
  expect(body.traces[0].spans[0].attributes).toMatchObject({ status: "timeout" });
});

test("more runs than may wait are 503 with the time to come back, and the others continue", async () => {
  const held = Promise.withResolvers<void>();
  await using small = await startDaemon({
    models: { lab: () => ({ after: held.promise, text: "Done." }) },
    runtime: JSON.stringify({ spec: { limits: { runs_in_flight: 1, runs_waiting: 1 } } }),
  });
  const inWork = small.run("helper", { query: "one" });
  while (small.models.lab.requests.length === 0) await small.clock.advance(1);
  const waiting = small.run("helper", { query: "two" });
  const depths = async () => (await small.call("GET", "/metrics")).text.match(/^platform_runs_\w+ \d+/gm);
  while ((await depths())?.[1] !== "platform_runs_waiting 1");
  const refused = await small.run("helper", { query: "three" });
  expect({ status: refused.status, error: refused.body.error }).toEqual({ status: 503, error: "too_busy" });
  expect(refused.headers.get("retry-after")).toBe("1");
  held.resolve();
  expect([(await inWork).status, (await waiting).status]).toEqual([200, 200]);
  expect(await depths()).toEqual(["platform_runs_in_flight 0", "platform_runs_waiting 0"]);
});
