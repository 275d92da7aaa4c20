import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { StreamFrame, type Trace } from "../../../../src/contracts/daemon/runs/run.ts";
import {
  type AgentSocket,
  type AgentStream,
  openEvents,
  openSocket,
  tokensOf,
} from "../../../support/agent-stream.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelStep, RecordedRequest } from "../../../support/model-server.ts";
import { rawWebSocket } from "../../../support/raw-web-socket.ts";

let daemon: TestDaemon;
let script: (request: RecordedRequest) => ModelStep = () => ({});

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "helper.agent.yaml": agentFile("helper", { tools: [{ name: "datetime_now", type: "builtin" }] }),
      "guarded.agent.yaml": agentFile("guarded", {
        guardrails: {
          input: [{ type: "pii_detection", action: "redact" }],
          output: [{ type: "pii_detection", action: "redact" }],
        },
      }),
      "mute.agent.yaml": agentFile("mute", {
        guardrails: { output: [{ type: "pii_detection", action: "block" }] },
      }),
      "broken.agent.yaml": agentFile("broken", { knowledge: { pipeline: "handbook" } }),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

/** Sets the model server's next answers; the last step repeats. */
function play(...steps: readonly ModelStep[]): void {
  let played = 0;
  script = () => steps[Math.min(played++, steps.length - 1)] ?? {};
}

/** Both kinds of streams, each with a function that sends one request. */
const ways: { way: string; ask: (agent: string, body: object) => Promise<AgentStream> }[] = [
  { way: "server-sent events", ask: (agent, body) => openEvents(daemon.url, agent, body) },
  {
    way: "a WebSocket",
    ask: async (agent, body) => {
      const socket = await openSocket(daemon.url, agent);
      socket.send(body);
      return socket;
    },
  },
];

const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const toolCall = { toolCalls: [{ id: "c1", name: "datetime_now", arguments: { timezone: "Asia/Tokyo" } }] };

describe.each(ways)("over $way", ({ ask }) => {
  test("frames come in order and by the contract, and the tokens joined are the answer", async () => {
    play({ text: ["Let me ", "look."], ...toolCall }, { text: ["It is ", "noon."] });
    const frames = await (await ask("helper", { query: "time?", session_id: "order" })).answer();
    for (const frame of frames) expect([...Value.Errors(StreamFrame, frame)]).toEqual([]);
    expect(frames.map(({ type }) => type)).toEqual([
      "token",
      "token",
      "tool_call",
      "tool_result",
      "token",
      "token",
      "token",
      "done",
    ]);
    expect(tokensOf(frames)).toBe("Let me look.\n\nIt is noon.");
    expect(frames[2]).toEqual({
      type: "tool_call",
      id: "c1",
      tool: "datetime_now",
      input: { timezone: "Asia/Tokyo" },
    });
    expect(frames[3]).toMatchObject({ type: "tool_result", id: "c1", tool: "datetime_now", ok: true });
    expect(frames.at(-1)).toMatchObject({
      type: "done",
      response: tokensOf(frames),
      session_id: "order",
      usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
      timing: { total_ms: 0 },
      metadata: { provider: "lab", model: "test-model", iterations: 2, tools_called: ["datetime_now"] },
    });
    expect(frames.at(-1)).not.toHaveProperty("trace");
  });

  test("each token is forwarded before the next has come", async () => {
    const seen = Promise.withResolvers<void>();
    play({ text: ["first ", "second"], hold: { afterEvents: 1, until: seen.promise } });
    const stream = await ask("helper", { query: "hi" });
    expect(await stream.next()).toEqual({ type: "token", content: "first " });
    seen.resolve();
    expect(await stream.next()).toEqual({ type: "token", content: "second" });
    expect(await stream.next()).toMatchObject({ type: "done", response: "first second", usage });
  });

  test("a client that leaves cancels the provider's call, and the run is traced as cancelled", async () => {
    play({ text: ["first ", "second"], hold: { afterEvents: 1, until: new Promise(() => {}) } });
    const stream = await ask("helper", { query: "hi", session_id: "left" });
    await stream.next();
    stream.leave();
    await daemon.models.lab.requests.at(-1)?.cut;
    expect(await endingOf("left")).toEqual({ trace: "ERROR", run: "cancelled" });
    expect((await daemon.call("GET", "/v1/memory/helper/history/left")).body.messages).toEqual([]);
    const metrics = (await daemon.call("GET", "/metrics")).text;
    expect(metrics).toContain("platform_runs_in_flight 0\n");
    expect(metrics).toContain('platform_active_sessions{agent_name="helper"} 0\n');
    expect(metrics).toMatch(
      /platform_agent_runs_total\{agent_name="helper",pattern="react",status="cancelled"\} \d/,
    );
  });

  test("a failure after the first token is an error frame with its code, and nothing is kept", async () => {
    const seen = Promise.withResolvers<void>();
    play({ text: ["first ", "second"], cutAfter: 1, cutWhen: seen.promise });
    const stream = await ask("helper", { query: "hi", session_id: "cut" });
    expect(await stream.next()).toEqual({ type: "token", content: "first " });
    seen.resolve();
    expect(await stream.answer()).toEqual([
      {
        type: "error",
        error: "provider_failed",
        message: expect.stringContaining("lab/test-model"),
        trace_id: (await daemon.call("GET", "/v1/traces?session_id=cut")).body.traces[0].trace_id,
      },
    ]);
    expect((await daemon.call("GET", "/v1/memory/helper/history/cut")).body.messages).toEqual([]);
    expect(await endingOf("cut")).toEqual({ trace: "ERROR", run: "error" });
  });

  test("an answer that a guardrail redacts never shows what it takes out, however it is cut", async () => {
    play({ text: [..."Write to ann@example.com, or call +1 202 555 0143 now."] });
    const frames = await (await ask("guarded", { query: "I am bob@example.com" })).answer();
    expect(tokensOf(frames)).toBe("Write to [EMAIL], or call [PHONE] now.");
    expect(frames.find(({ type }) => type === "guardrail")).toEqual({
      type: "guardrail",
      guardrail: "pii_detection",
      stage: "input",
      outcome: "redacted",
      hits: 1,
    });
    expect(frames.at(-1)).toMatchObject({
      response: tokensOf(frames),
      metadata: { guardrails: { input_pii_redacted: true, output_filtered: true } },
    });
    expect(daemon.models.lab.requests.at(-1)?.body.messages.at(-1)?.content).toBe("I am [EMAIL]");
  });
});

describe("server-sent events", () => {
  test.each([
    ["an unknown agent", "nobody", {}, 404, "agent_not_found"],
    ["an agent that could not be loaded", "broken", {}, 503, "agent_failed"],
    ["a reserved context key", "helper", { context: { _a: 1 } }, 400, "invalid_request"],
    ["an answer that a guardrail blocks", "mute", {}, 422, "guardrail_blocked"],
    ["a provider that answers garbage", "helper", {}, 502, "provider_failed"],
  ] as const)(
    "what fails before the first event has its own status: %s",
    async (_what, agent, more, status, error) => {
      play(agent === "mute" ? { text: "ann@example.com" } : { body: "garbage" });
      const refused = await openEvents(daemon.url, agent, { query: "hi", ...more }).catch(
        (thrown) => thrown.answer,
      );
      expect({ status: refused.status, error: refused.body.error }).toEqual({ status, error });
    },
  );

  test("the trace comes with `done` when asked for", async () => {
    play({ text: "Fine." });
    const frames = await (await openEvents(daemon.url, "helper", { query: "hi" }, "?trace=true")).answer();
    const done = frames.at(-1);
    if (done?.type !== "done") throw new Error("no end");
    expect([...Value.Errors(StreamFrame, done)]).toEqual([]);
    expect(done.trace?.trace_id).toBe(done.trace_id);
  });

  test("a client that leaves before anything came cancels the provider's call", async () => {
    play({ after: new Promise(() => {}) });
    const asked = daemon.models.lab.requests.length;
    const leaving = new AbortController();
    const answer = daemon
      .run("helper", { query: "hi", session_id: "early" }, { signal: leaving.signal })
      .catch((thrown) => thrown.name);
    await requestNumber(asked + 1);
    leaving.abort();
    expect(await answer).toBe("AbortError");
    await daemon.models.lab.requests.at(-1)?.cut;
    expect(await endingOf("early")).toEqual({ trace: "ERROR", run: "cancelled" });
  });
});

describe("a WebSocket", () => {
  test("answers many queries, one after the other, in their order", async () => {
    script = (request) => ({ text: `You said ${request.body.messages.at(-1)?.content}.` });
    const socket = await openSocket(daemon.url, "helper");
    for (let number = 1; number <= 12; number++) socket.send({ query: `${number}`, session_id: "many" });
    for (let number = 1; number <= 12; number++) {
      expect(tokensOf(await socket.answer())).toBe(`You said ${number}.`);
    }
    const { body } = await daemon.call("GET", "/v1/memory/helper/history/many");
    expect(body.messages).toHaveLength(24);
    socket.leave();
    expect(await socket.closed).toBe(1000);
  });

  test.each([
    ["no JSON", "query=hi", "invalid_request"],
    ["a list", "[]", "invalid_request"],
    ["null", "null", "invalid_request"],
    ["an empty text", "", "invalid_request"],
    ["no query", "{}", "invalid_request"],
    ["an unknown field", '{"query":"hi","sesion_id":"a"}', "invalid_request"],
    ["a session id with a line break", '{"query":"hi","session_id":"a\\nb"}', "invalid_request"],
    ["a reserved context key", '{"query":"hi","context":{"_a":1}}', "invalid_request"],
    ["half of a surrogate pair", '{"query":"\\ud800"}', "invalid_request"],
    [
      "a number no double holds",
      '{"query":"hi","context":{"a":9007199254740993}}',
      "number_not_representable",
    ],
  ])("answers a frame that is %s with an error frame, and goes on", async (_what, frame, error) => {
    play({ text: "Fine." });
    const socket = await openSocket(daemon.url, "helper");
    socket.send(frame);
    expect(await socket.answer()).toEqual([{ type: "error", error, message: expect.any(String) }]);
    socket.send({ query: "hi" });
    expect(tokensOf(await socket.answer())).toBe("Fine.");
    socket.leave();
  });

  test("continues after a run that failed", async () => {
    play({ body: "garbage" }, { text: "Fine." });
    const socket = await openSocket(daemon.url, "helper");
    socket.send({ query: "hi" });
    expect(await socket.answer()).toMatchObject([{ type: "error", error: "provider_failed" }]);
    socket.send({ query: "hi" });
    expect(tokensOf(await socket.answer())).toBe("Fine.");
    socket.leave();
  });

  test.each([
    ["nobody", "404"],
    ["constructor", "404"],
    ["broken", "503"],
  ])("of %s is refused with %s before it opens", async (agent, status) => {
    await expect(rawWebSocket(daemon.port, `/v1/ws/agent/${agent}`)).rejects.toThrow(`HTTP/1.1 ${status}`);
  });

  test("closed while queries wait runs none of them", async () => {
    play({ text: ["first ", "second"], hold: { afterEvents: 1, until: new Promise(() => {}) } });
    const asked = daemon.models.lab.requests.length;
    const socket: AgentSocket = await openSocket(daemon.url, "helper");
    for (let number = 0; number < 5; number++) socket.send({ query: "hi" });
    await socket.next();
    socket.leave();
    await daemon.models.lab.requests.at(-1)?.cut;
    await daemon.call("GET", "/v1/health");
    expect(daemon.models.lab.requests.length).toBe(asked + 1);
  });
});

/** Returns the ending of a session's only run from its trace, once it has ended. */
async function endingOf(session: string): Promise<unknown> {
  for (;;) {
    const { body } = await daemon.call("GET", "/v1/traces?limit=5");
    const found = body.traces.find((trace: Trace) => trace.session_id === session);
    if (found !== undefined) return { trace: found.status, run: found.spans[0].attributes.status };
  }
}

async function requestNumber(count: number): Promise<void> {
  while (daemon.models.lab.requests.length < count) await daemon.call("GET", "/v1/health");
}
