import { describe, expect, test } from "bun:test";
import { openEvents, openSocket, tokensOf } from "../../../support/agent-stream.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { forgetfulServer } from "../../../support/forgetful-server.ts";
import { type ModelStep, wholeAnswer } from "../../../support/model-server.ts";
import { until } from "../../../support/until.ts";

const fine: ModelStep = { text: "Fine." };

/** One agent on the model server `lab`; another with `spare` as fallback. */
const agents = {
  "alone.agent.yaml": agentFile("alone"),
  "covered.agent.yaml": agentFile("covered", {
    model: {
      primary: { provider: "lab", model: "test-model", timeout_seconds: 30 },
      fallback: { provider: "spare", model: "spare-model" },
    },
  }),
};

const startWith = (lab: ModelStep) => startDaemon({ agents, models: { lab: [lab], spare: [fine] } });

interface Failing {
  what: string;
  step: ModelStep;
  status: number;
  error: string;
  /** The failure's name in metrics. */
  failure: string;
  retryAfter?: string;
  /** False if the request itself is at fault, so another model would fail too. */
  fallsBack?: boolean;
}

const failing: Failing[] = [
  {
    what: "5xx",
    step: { status: 500, body: "oops" },
    status: 503,
    error: "no_provider_available",
    failure: "unreachable",
  },
  {
    what: "429 with Retry-After",
    step: { status: 429, headers: { "retry-after": "7" }, body: "{}" },
    status: 503,
    error: "no_provider_available",
    failure: "unreachable",
    retryAfter: "7",
  },
  {
    what: "503 with Retry-After",
    step: { status: 503, headers: { "retry-after": "20" }, body: "{}" },
    status: 503,
    error: "no_provider_available",
    failure: "unreachable",
    retryAfter: "20",
  },
  {
    what: "401",
    step: { status: 401, body: '{"error":{"message":"bad key sk-proj-4f9a8c7b6d5e4f3a2b1c0d9e8f7a6b5c"}}' },
    status: 502,
    error: "provider_failed",
    failure: "auth",
  },
  {
    what: "404 for the model",
    step: { status: 404, body: '{"error":{"message":"model not found","code":"model_not_found"}}' },
    status: 502,
    error: "provider_failed",
    failure: "unsuited",
  },
  {
    what: "400",
    step: { status: 400, body: '{"error":{"message":"bad"}}' },
    status: 502,
    error: "provider_failed",
    failure: "caller",
    fallsBack: false,
  },
  { what: "garbage", step: { body: "%PDF-1.7" }, status: 502, error: "provider_failed", failure: "unusable" },
  {
    what: "a web page",
    step: { body: "<html>", headers: { "content-type": "text/html" } },
    status: 502,
    error: "provider_failed",
    failure: "unusable",
  },
  {
    what: "a redirect",
    step: { status: 302, headers: { location: "http://127.0.0.1:1/" }, body: "" },
    status: 502,
    error: "provider_failed",
    failure: "auth",
  },
  { what: "an empty answer", step: { text: [] }, status: 502, error: "provider_failed", failure: "unusable" },
  {
    what: "too long a conversation",
    step: { status: 400, body: '{"error":{"code":"context_length_exceeded"}}' },
    status: 422,
    error: "context_length_exceeded",
    failure: "context_length",
  },
  {
    what: "a refusal",
    step: { text: [], finish: "content_filter" },
    status: 422,
    error: "content_refused",
    failure: "content_refused",
    fallsBack: false,
  },
];

describe.each(failing)("a provider that answers $what", ({ step, status, error, failure, ...rest }) => {
  test("gives the decided error; the run is traced and counted", async () => {
    await using daemon = await startWith(step);
    const answer = await daemon.run("alone", { query: "hi" });
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
    expect(answer.headers.get("retry-after")).toBe(rest.retryAfter ?? null);
    expect(answer.text).not.toContain("4f9a8c7b");
    const metrics = (await daemon.call("GET", "/metrics")).text;
    expect(metrics).toContain(
      `platform_provider_calls_total{provider="lab",model="test-model",status="${failure}"} 1\n`,
    );
    expect(metrics).toContain(
      'platform_agent_runs_total{agent_name="alone",pattern="react",status="error"} 1\n',
    );
    const { body } = await daemon.call("GET", "/v1/traces");
    expect(body.traces).toHaveLength(1);
    expect(body.traces[0].spans[0].attributes).toMatchObject({ status: "error", error });
    expect((await daemon.call("GET", "/v1/metrics")).body.counters).toMatchObject({
      "agent.runs": 1,
      "agent.failures": 1,
      "provider.calls": 1,
    });
  });

  test(`${rest.fallsBack === false ? "is not" : "is"} a reason to try the fallback`, async () => {
    await using daemon = await startWith(step);
    const answer = await daemon.run("covered", { query: "hi" });
    if (rest.fallsBack === false) {
      expect(answer.status).toBe(status);
      expect(daemon.models.spare.requests).toEqual([]);
    } else {
      expect(answer.body).toMatchObject({ response: "Fine.", provider: "spare", model: "spare-model" });
      const metrics = (await daemon.call("GET", "/metrics")).text;
      expect(metrics).toContain(
        'platform_provider_calls_total{provider="spare",model="spare-model",status="ok"} 1\n',
      );
      expect(metrics).toContain(
        'platform_agent_runs_total{agent_name="covered",pattern="react",status="ok"} 1\n',
      );
    }
  });
});

test("what the provider said reaches the owner: in the answer, on the WebSocket and in the trace", async () => {
  const said = "Temperature must be between 0 and 1.";
  await using daemon = await startWith({ status: 400, body: JSON.stringify({ error: { message: said } }) });
  const answer = await daemon.run("alone", { query: "hi" });
  expect(answer.body).toMatchObject({ error: "provider_failed", details: { provider_message: said } });
  const socket = await openSocket(daemon.url, "alone");
  socket.send({ query: "hi" });
  expect(await socket.answer()).toContainEqual(
    expect.objectContaining({ type: "error", details: { provider_message: said } }),
  );
  const { body } = await daemon.call("GET", "/v1/traces");
  const { trace_id } = body.traces[0];
  expect((await daemon.call("GET", `/v1/traces/${trace_id}`)).text).toContain(JSON.stringify(said));
});

test("a provider that is not there is 503, with what to do", async () => {
  await using daemon = await startWith(fine);
  await daemon.models.lab.stop();
  const answer = await daemon.run("alone", { query: "hi" });
  expect({ status: answer.status, error: answer.body.error }).toEqual({
    status: 503,
    error: "no_provider_available",
  });
  expect(answer.body.message).toContain("lab/test-model");
  expect(answer.body.hint).toContain("argosy doctor");
  const doctor = await daemon.call("GET", "/v1/system/doctor");
  const check = doctor.body.checks.find(({ name }: { name: string }) => name === "providers");
  expect(check).toMatchObject({ status: "degraded", mend: expect.any(String) });
  const { body } = await daemon.call("GET", "/v1/system/status");
  expect(body.providers).toEqual({ healthy: 1, degraded: 1, unavailable: 0 });
});

test("a provider that is silent times out, and the fallback answers", async () => {
  await using daemon = await startWith({ after: new Promise(() => {}) });
  const answer = daemon.run("covered", { query: "hi" });
  while (daemon.models.lab.requests.length === 0) await daemon.clock.advance(1);
  await daemon.clock.advance(30_000);
  expect((await answer).body).toMatchObject({ response: "Fine.", provider: "spare" });
  await daemon.models.lab.requests[0]?.cut;
});

test("after the first token there is no fallback: the stream says that it failed", async () => {
  const seen = Promise.withResolvers<void>();
  await using daemon = await startWith({ text: ["one ", "two"], cutAfter: 1, cutWhen: seen.promise });
  const stream = await openEvents(daemon.url, "covered", { query: "hi" });
  const first = await stream.next();
  seen.resolve();
  expect([first, ...(await stream.answer())]).toMatchObject([
    { type: "token", content: "one " },
    { type: "error", error: "provider_failed" },
  ]);
  expect(daemon.models.spare.requests).toEqual([]);
});

test("before the first token there is one, and no token shows twice", async () => {
  await using daemon = await startWith({ text: ["one ", "two"], cutAfter: 0 });
  const frames = await (await openEvents(daemon.url, "covered", { query: "hi" })).answer();
  expect(tokensOf(frames)).toBe("Fine.");
  expect(frames.at(-1)).toMatchObject({ type: "done", metadata: { provider: "spare" } });
});

describe("the circuit of a provider", () => {
  const down: ModelStep = { status: 500, body: "oops" };
  const calls = (daemon: TestDaemon<"lab" | "spare">) => daemon.models.lab.requests.length;

  test("opens after three failures in a row, is skipped, and is probed once after 60 seconds", async () => {
    let lab = down;
    await using daemon = await startDaemon({ agents, models: { lab: () => lab, spare: [fine] } });
    const ask = async () => (await daemon.run("covered", { query: "hi" })).body.provider;
    for (let time = 1; time <= 3; time++) expect(await ask()).toBe("spare");
    expect(calls(daemon)).toBe(3);
    for (let time = 1; time <= 5; time++) expect(await ask()).toBe("spare");
    expect(calls(daemon)).toBe(3);
    expect((await daemon.call("GET", "/v1/system/status")).body).toMatchObject({
      status: "degraded",
      providers: { healthy: 1, degraded: 0, unavailable: 1 },
    });

    await daemon.clock.advance(59_999);
    await ask();
    expect(calls(daemon)).toBe(3);
    await daemon.clock.advance(1);
    await ask();
    expect(calls(daemon)).toBe(4);
    await ask();
    expect(calls(daemon)).toBe(4);

    lab = fine;
    await daemon.clock.advance(60_000);
    expect(await ask()).toBe("lab");
    expect(await ask()).toBe("lab");
    expect((await daemon.call("GET", "/v1/system/status")).body.providers.unavailable).toBe(0);
  });

  test("lets one probe through, however many ask at once", async () => {
    const held = Promise.withResolvers<void>();
    let lab: ModelStep = down;
    await using daemon = await startDaemon({ agents, models: { lab: () => lab, spare: [fine] } });
    for (let time = 1; time <= 3; time++) await daemon.run("covered", { query: "hi" });
    lab = { ...fine, after: held.promise };
    await daemon.clock.advance(60_000);
    const before = daemon.models.spare.requests.length;
    const asked = Array.from({ length: 30 }, () => daemon.run("covered", { query: "hi" }));
    // The probe is answered once the others have gone elsewhere.
    while (calls(daemon) + daemon.models.spare.requests.length - before < 33) await daemon.clock.advance(0);
    held.resolve();
    const providers = (await Promise.all(asked)).map(({ body }) => body.provider);
    expect(providers.filter((provider) => provider === "lab")).toHaveLength(1);
    expect(calls(daemon)).toBe(4);
  });

  test("when every circuit is open the run is 503 with the time of the next try", async () => {
    await using daemon = await startWith(down);
    for (let time = 1; time <= 3; time++) await daemon.run("alone", { query: "hi" });
    await daemon.clock.advance(10_500);
    const answer = await daemon.run("alone", { query: "hi" });
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: 503,
      error: "no_provider_available",
    });
    expect(answer.headers.get("retry-after")).toBe("50");
    expect(calls(daemon)).toBe(3);
  });

  test("is not opened by the caller's faults, nor by callers who leave", async () => {
    let lab: ModelStep = { status: 400, body: '{"error":{"code":"context_length_exceeded"}}' };
    await using daemon = await startDaemon({ agents, models: { lab: () => lab, spare: [fine] } });
    for (let time = 1; time <= 4; time++) await daemon.run("alone", { query: "hi" });
    lab = { text: ["one ", "two"], hold: { afterEvents: 1, until: new Promise(() => {}) } };
    for (let time = 1; time <= 4; time++) {
      const stream = await openEvents(daemon.url, "alone", { query: "hi" });
      await stream.next();
      stream.leave();
      await daemon.models.lab.requests.at(-1)?.cut;
    }
    lab = fine;
    expect((await daemon.run("alone", { query: "hi" })).body.response).toBe("Fine.");
  });
});

test("a run is answered although the server closes the connection that an earlier run left", async () => {
  using server = await forgetfulServer(wholeAnswer(fine));
  await using daemon = await startDaemon({
    agents,
    configure: (config) => ({
      ...config,
      providers: {
        ...config.providers,
        providers: { lab: { type: "vllm", endpoint: `${server.url}/v1`, prices: {} } },
      },
    }),
  });
  const before = server.connections.length;
  for (let i = 0; i < 3; i++) expect((await daemon.run("alone", { query: "hi" })).status).toBe(200);
  // At least one run met a closed connection.
  expect(server.connections.length - before).toBeGreaterThan(3);
});

describe("a provider that asks to wait", () => {
  const tooFast: ModelStep = { status: 429, headers: { "retry-after": "2" }, body: "{}" };
  const toolStep: ModelStep = { toolCalls: [{ name: "datetime_now", arguments: {} }] };
  const withTool = agentFile("alone", { tools: [{ name: "datetime_now", type: "builtin" }] });

  test("is waited for in the middle of a run, so that its work is not lost", async () => {
    const throttled = Promise.withResolvers<void>();
    await using daemon = await startDaemon({
      agents: { "alone.agent.yaml": withTool },
      models: {
        lab: (_request, number) => {
          if (number === 1) throttled.resolve();
          return [toolStep, tooFast, fine][number] ?? fine;
        },
      },
    });
    const answer = daemon.run("alone", { query: "hi" });
    await throttled.promise;
    await until(async () => {
      await daemon.clock.advance(2000);
      return daemon.models.lab.requests.length === 3;
    });
    expect((await answer).body).toMatchObject({ response: "Fine." });
  });

  test("fails a run that has done nothing yet with 503 and its time", async () => {
    await using daemon = await startDaemon({
      agents: { "alone.agent.yaml": withTool },
      models: { lab: [tooFast] },
    });
    const answer = await daemon.run("alone", { query: "hi" });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
  });

  test("is asked after the others until its time has come", async () => {
    await using daemon = await startDaemon({ agents, models: { lab: [tooFast], spare: [fine] } });
    for (const provider of ["spare", "spare", "spare"])
      expect((await daemon.run("covered", { query: "hi" })).body.provider).toBe(provider);
    expect(daemon.models.lab.requests).toHaveLength(1);
    await daemon.clock.advance(2000);
    await daemon.run("covered", { query: "hi" });
    expect(daemon.models.lab.requests).toHaveLength(2);
  });
});
