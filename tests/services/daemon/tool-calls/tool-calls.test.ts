import { describe, expect, test } from "bun:test";
import type { StreamFrame } from "../../../../src/contracts/daemon/runs/run.ts";
import { readSse } from "../../../../src/kit/fetch/sse.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelScript, ModelStep } from "../../../support/model-server.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const locate = {
  name: "locate",
  type: "client",
  description: "Where the user is.",
  parameters: {
    type: "object",
    properties: { exact: { type: "boolean" }, unit: { type: "string", default: "km" } },
    required: ["exact"],
    additionalProperties: false,
  },
};

const guide = (more: Record<string, unknown> = {}) => ({
  "guide.agent.yaml": agentFile("guide", { tools: [locate], ...more }),
});

const ask = (number: number, input: Record<string, unknown> = { exact: true }): ModelStep => ({
  text: "Looking. ",
  toolCalls: [{ id: `call-${number}`, name: "locate", arguments: input }],
});

/** Calls the tool that many times, once per turn, and then repeats the last result. */
const asks =
  (times: number): ModelScript =>
  ({ body }) => {
    const results = body.messages.filter(({ role }) => role === "tool");
    if (results.length < times) return ask(results.length);
    return { text: ["It", " said:", ` ${String(results.at(-1)?.content)}`] };
  };

const pause = async (daemon: TestDaemon) => {
  const answer = await daemon.run("guide", { query: "Where am I?", session_id: "s" });
  expect(answer.status).toBe(202);
  return answer.body.call_id as string;
};

const answer = (daemon: TestDaemon, id: string, body: unknown) =>
  daemon.call("POST", `/v1/tool-calls/${id}/result`, { body: body as object });

async function framesOf(response: Response): Promise<StreamFrame[]> {
  if (response.body === null) throw new Error("no stream");
  const frames: StreamFrame[] = [];
  for await (const batch of readSse(response.body)) {
    for (const data of batch) frames.push(JSON.parse(data));
  }
  return frames;
}

test("a run answers 202, is listed, and continues with what its caller hands in", async () => {
  await using daemon = await startDaemon({ agents: guide(), models: { lab: asks(1) } });
  const paused = await daemon.run("guide", { query: "Where am I?", session_id: "s" });
  const id = paused.body.call_id;
  expect([paused.status, paused.body]).toEqual([
    202,
    {
      status: "awaiting_tool_result",
      call_id: id,
      session_id: "s",
      agent: "guide",
      tool: "locate",
      input: { exact: true, unit: "km" },
      expires_at: "2026-01-02T00:00:00.000Z",
    },
  ]);
  const listed = (await daemon.call("GET", "/v1/tool-calls?status=pending&agent=guide")).body;
  expect(listed.tool_calls).toEqual([
    {
      id,
      agent: "guide",
      session_id: "s",
      tool: "locate",
      input: { exact: true, unit: "km" },
      status: "pending",
      created_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-02T00:00:00.000Z",
    },
  ]);
  // It cannot be approved.
  expect((await daemon.call("GET", "/v1/approvals")).body.approvals).toEqual([]);
  expect((await daemon.call("GET", `/v1/approvals/${id}`)).status).toBe(404);
  expect((await daemon.call("POST", `/v1/approvals/${id}/approve`, { body: {} })).status).toBe(404);

  const { status, body } = await answer(daemon, id, { output: { place: "opal-kestrel" } });
  expect([status, body.agent]).toEqual([200, "guide"]);
  expect(body.response).toContain("opal-kestrel");
  expect(body.usage).toEqual({ input_tokens: 20, output_tokens: 10, total_tokens: 30 });
  const shown = (await daemon.call("GET", `/v1/tool-calls/${id}`)).body;
  expect(shown).toMatchObject({
    status: "answered",
    answered_at: "2026-01-01T00:00:00.000Z",
    result: { response: body.response },
  });
  expect(daemon.models.lab.requests).toHaveLength(2);
  const metrics = (await daemon.call("GET", "/metrics")).text;
  expect(metrics).toContain('status="awaiting_tool_result"} 1');
  expect(metrics).toContain('platform_tokens_used_total{agent_name="guide",direction="input"} 20');
});

test("what went wrong at the caller's is a failed result to the model", async () => {
  await using daemon = await startDaemon({ agents: guide(), models: { lab: asks(1) } });
  const { body } = await answer(daemon, await pause(daemon), { error: "no satellite in sight" });
  expect(body.response).toContain("no satellite in sight");
  expect(body.response).toContain('"success":false');
});

test.each([
  ["neither", {}, 400, "invalid_request"],
  ["both", { output: 1, error: "x" }, 400, "invalid_request"],
  ["another key", { output: 1, more: 2 }, 400, "invalid_request"],
  ["an empty error", { error: "" }, 400, "invalid_request"],
  ["no object", [1], 400, "invalid_request"],
  ["too much", { output: "x".repeat(512 * 1024) }, 413, "tool_result_too_large"],
])("a result with %s is refused, and the call still waits", async (_, body, status, code) => {
  await using daemon = await startDaemon({ agents: guide(), models: { lab: asks(1) } });
  const id = await pause(daemon);
  const refused = await answer(daemon, id, body);
  expect([refused.status, refused.body.error]).toEqual([status, code]);
  // Any JSON is accepted, including null.
  expect((await answer(daemon, id, { output: null })).status).toBe(200);
});

test("of fifty results at once one counts; the calls of a run come one after the other", async () => {
  await using daemon = await startDaemon({ agents: guide(), models: { lab: asks(2) } });
  const first = await pause(daemon);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, number) => answer(daemon, first, { output: number })),
  );
  const taken = answers.filter(({ status }) => status === 202);
  expect(taken).toHaveLength(1);
  for (const { status, body } of answers) {
    if (status !== 202) expect([status, body.error]).toEqual([409, "tool_call_answered"]);
  }
  const second = taken[0]?.body.call_id;
  expect((await daemon.call("GET", `/v1/tool-calls/${first}`)).body.next_call_id).toBe(second);
  expect((await answer(daemon, second, { output: "there" })).status).toBe(200);
  expect(daemon.models.lab.requests).toHaveLength(3);
});

test("two alike calls of one turn are asked for one after the other, each with its own result", async () => {
  const both: ModelScript = ({ body }) => {
    const results = body.messages.filter(({ role }) => role === "tool");
    if (results.length > 0) return { text: results.map(({ content }) => String(content)).join(" | ") };
    return {
      toolCalls: ["a", "b"].map((id) => ({ id, name: "locate", arguments: { exact: true } })),
    };
  };
  await using daemon = await startDaemon({ agents: guide(), models: { lab: both } });
  const second = await answer(daemon, await pause(daemon), { output: "north" });
  expect(second.status).toBe(202);
  const { body } = await answer(daemon, second.body.call_id, { output: "south" });
  expect(body.response).toMatch(/north.*\|.*south/);
  expect(daemon.models.lab.requests).toHaveLength(2);
});

test("a call that needs approval is approved first and carried out then, also when another is just like it", async () => {
  const both: ModelScript = ({ body }) => {
    const results = body.messages.filter(({ role }) => role === "tool");
    if (results.length > 0) return { text: results.map(({ content }) => String(content)).join(" | ") };
    return {
      toolCalls: ["a", "b"].map((id) => ({ id, name: "locate", arguments: { exact: true } })),
    };
  };
  const agents = guide({ tools: [{ ...locate, requires_approval: true }] });
  await using daemon = await startDaemon({ agents, models: { lab: both } });
  const approve = (id: string) => daemon.call("POST", `/v1/approvals/${id}/approve`, { body: {} });
  let waiting = (await daemon.run("guide", { query: "Where?", session_id: "s" })).body;
  const order: string[] = [];
  for (let step = 0; waiting.status !== undefined && step < 9; step++) {
    order.push(waiting.status);
    waiting = waiting.approval_id
      ? (await approve(waiting.approval_id)).body
      : (await answer(daemon, waiting.call_id, { output: `place ${order.length}` })).body;
  }
  expect(order.sort()).toEqual([
    "awaiting_approval",
    "awaiting_approval",
    "awaiting_tool_result",
    "awaiting_tool_result",
  ]);
  const places = [...waiting.response.matchAll(/place \d/g)].map(([place]) => place);
  expect(new Set(places).size).toBe(2);
});

test("a stream ends with a frame, and its tokens and those that follow are the answer", async () => {
  await using daemon = await startDaemon({ agents: guide(), models: { lab: asks(1) } });
  const stream = (path: string, body: object) =>
    fetch(`${daemon.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify(body),
    });
  const before = await framesOf(await stream("/v1/agents/guide/run", { query: "Where?", session_id: "s" }));
  const last = before.at(-1);
  expect(last).toMatchObject({ type: "tool_result_required", tool: "locate", agent: "guide" });
  if (last?.type !== "tool_result_required") throw new Error("no frame");
  expect(before.some(({ type }) => type === "tool_result")).toBe(false);
  const after = await framesOf(await stream(`/v1/tool-calls/${last.call_id}/result`, { output: "here" }));
  const done = after.at(-1);
  if (done?.type !== "done") throw new Error("no end");
  const tokens = [...before, ...after].map((frame) => (frame.type === "token" ? frame.content : ""));
  expect(tokens.join("")).toBe(done.response);
  expect(after.filter(({ type }) => type === "tool_call")).toEqual([]);
});

test("a call survives a restart; after its time and after a change of the agent it is 409", async () => {
  using folder = temporaryFolder();
  const setting = { workspace: folder.path, models: { lab: asks(1) } };
  const agents = guide({ tools: [{ ...locate, timeout_seconds: 90 }] });
  let id: string;
  {
    await using daemon = await startDaemon({ ...setting, agents });
    id = await pause(daemon);
    const call = (await daemon.call("GET", `/v1/tool-calls/${id}`)).body;
    expect(call.expires_at).toBe("2026-01-01T00:01:30.000Z");
  }
  await using daemon = await startDaemon({ ...setting, agents });
  expect(await answer(daemon, id, { output: "here" })).toMatchObject({ status: 200 });
  const late = await pause(daemon);
  await daemon.clock.advance(91_000);
  const expired = await answer(daemon, late, { output: "here" });
  expect([expired.status, expired.body.error]).toEqual([409, "tool_call_expired"]);
  const changed = await pause(daemon);
  const isNew = { identity: { description: "New." } };
  daemon.writeAgent("guide.agent.yaml", guide(isNew)["guide.agent.yaml"]);
  const described = async () => (await daemon.call("GET", "/v1/agents/guide")).body.description;
  while ((await described()) !== "New.") await daemon.clock.advance(1000);
  const other = await answer(daemon, changed, { output: "here" });
  expect([other.status, other.body.error]).toEqual([409, "agent_changed"]);
});

test("an input that the tool does not accept is refused to the model, and the caller is not asked", async () => {
  const wrong: ModelScript = ({ body }) =>
    body.messages.some(({ role }) => role === "tool")
      ? { text: String(body.messages.at(-1)?.content) }
      : ask(1, { exact: "very" });
  await using daemon = await startDaemon({ agents: guide(), models: { lab: wrong } });
  const { status, body } = await daemon.run("guide", { query: "Where?" });
  expect([status, body.response]).toEqual([200, expect.stringContaining("doesn't fit")]);
});

test("a call that is only proposed does not wait; one that is made directly is refused", async () => {
  const agents = guide({ tools: [{ ...locate, mode: "propose" }] });
  await using daemon = await startDaemon({ agents, models: { lab: asks(1) } });
  const { status, body } = await daemon.run("guide", { query: "Where?" });
  expect([status, body.propuestas[0].tool]).toEqual([200, "locate"]);
  const execution = { tool: "locate", agent: "guide", input: { exact: true } };
  const direct = await daemon.call("POST", "/v1/tools/execute", { body: execution });
  expect(direct.body.propuestas).toHaveLength(1);
});

test("a run with client tools and a cassette is 422", async () => {
  await using daemon = await startDaemon({ agents: guide(), models: { lab: asks(1) } });
  const { status, body } = await daemon.run("guide", { query: "Where?", record: true });
  expect([status, body.error]).toEqual([422, "run_not_recordable"]);
});

describe("chat completions", () => {
  const complete = (daemon: TestDaemon, messages: object[], more: object = {}) =>
    daemon.call("POST", "/v1/chat/completions", {
      body: { model: "agent/guide", messages, user: "s", ...more },
    });

  test("carry the call as a model's, and its result back", async () => {
    await using daemon = await startDaemon({ agents: guide(), models: { lab: asks(1) } });
    const question = { role: "user", content: "Where am I?" };
    const first = await complete(daemon, [question]);
    const choice = first.body.choices[0];
    expect([first.status, choice.finish_reason]).toEqual([200, "tool_calls"]);
    const [call] = choice.message.tool_calls;
    expect([call.type, call.function.name]).toEqual(["function", "locate"]);
    expect(JSON.parse(call.function.arguments)).toEqual({ exact: true, unit: "km" });
    const result = { role: "tool", tool_call_id: call.id, content: '{"place": "opal-kestrel"}' };
    const second = await complete(daemon, [question, choice.message, result]);
    expect(second.body.choices[0].finish_reason).toBe("stop");
    expect(second.body.choices[0].message.content).toContain('"place":"opal-kestrel"');
    expect(daemon.models.lab.requests).toHaveLength(2);
    const again = await complete(daemon, [question, choice.message, result]);
    expect([again.status, again.body.error.code]).toEqual([409, "tool_call_answered"]);
    const foreign = await complete(daemon, [{ ...result, tool_call_id: "nobody's" }]);
    expect([foreign.status, foreign.body.error.code]).toEqual([404, "tool_call_not_found"]);
  });

  test("stream it", async () => {
    await using daemon = await startDaemon({ agents: guide(), models: { lab: asks(1) } });
    const { text } = await complete(daemon, [{ role: "user", content: "Where?" }], { stream: true });
    const chunks = text
      .split("\n\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice(6)).choices[0]);
    const calls = chunks.flatMap(({ delta }) => delta.tool_calls ?? []);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ index: 0, type: "function", function: { name: "locate" } });
    expect(chunks.at(-1).finish_reason).toBe("tool_calls");
  });
});
