import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { rpcEvents } from "../../../support/mcp-client.ts";
import type { ModelStep } from "../../../support/model-server.ts";
import { openStateless, type StatelessOptions, sendStateless } from "../../../support/stateless-mcp.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const takesTasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const missing = { requiredCapabilities: takesTasks };

/** A model that answers when it is let, and tells when it is asked. */
function slowModel() {
  let asked = Promise.withResolvers<void>();
  let answer = Promise.withResolvers<void>();
  let said = "Done.";
  return {
    script: (): ModelStep => {
      asked.resolve();
      return { text: said, after: answer.promise };
    },
    asked: () => asked.promise,
    let: (text: string) => {
      said = text;
      answer.resolve();
    },
    again() {
      asked = Promise.withResolvers();
      answer = Promise.withResolvers();
      said = "Done.";
    },
  };
}

const model = slowModel();
let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon({ models: { lab: () => model.script() } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const send = async (
  method: string,
  params: Record<string, unknown>,
  options: StatelessOptions = {},
  at = daemon,
) => {
  const answer = await sendStateless(at.url, method, params, { capabilities: takesTasks, ...options });
  return { status: answer.status, ...answer.messages[0] };
};

/** Calls an agent that does not answer for two seconds, and returns the task. */
async function begin(at = daemon, agent = "helper") {
  model.again();
  const called = send("tools/call", { name: `agent_${agent}`, arguments: { query: "hi" } }, {}, at);
  await model.asked();
  await at.clock.advance(2000);
  const { result } = await called;
  return result as { taskId: string; resultType: string; status: string };
}

const get = async (taskId: string, at = daemon) => {
  const { result, error } = await send("tasks/get", { taskId }, {}, at);
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
};

/** Asks for a task until it has ended; the model's answer takes its time. */
async function ended(taskId: string, at = daemon) {
  for (;;) {
    const task = await get(taskId, at);
    if (task.status !== "working") return task;
  }
}

describe("a call that takes longer than two seconds", () => {
  test("becomes a task, which is asked for until its result is in it", async () => {
    const task = await begin();
    const { taskId } = task;
    expect(task).toMatchObject({
      resultType: "task",
      taskId: expect.stringMatching(/^[\w-]{43}$/),
      status: "working",
      createdAt: expect.stringMatching(/^\d{4}-/),
      lastUpdatedAt: expect.any(String),
      ttlMs: 604_800_000,
      pollIntervalMs: 1000,
    });
    expect(await get(taskId)).toMatchObject({
      resultType: "complete",
      taskId,
      status: "working",
    });
    model.let("Done.");
    const done = await ended(taskId);
    expect(done).toMatchObject({
      resultType: "complete",
      status: "completed",
      result: { content: [{ type: "text", text: "Done." }] },
    });
    expect(await get(taskId)).toEqual(done);
  });

  test("of a client that takes no tasks stays a call", async () => {
    model.again();
    const called = send(
      "tools/call",
      { name: "agent_helper", arguments: { query: "hi" } },
      { capabilities: { tasks: {} } },
    );
    await model.asked();
    await daemon.clock.advance(2000);
    model.let("Done.");
    expect((await called).result).toMatchObject({
      resultType: "complete",
      content: [{ text: "Done." }],
    });
  });

  test("a quick one is a result", async () => {
    model.again();
    model.let("Quick.");
    const { result } = await send("tools/call", { name: "agent_helper", arguments: { query: "hi" } });
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "Quick." }] });
  });

  test("a failure is a completed task with a failed result", async () => {
    const { taskId } = await begin();
    await daemon.clock.advance(3_600_000);
    expect(await ended(taskId)).toMatchObject({ status: "completed", result: { isError: true } });
  });

  test.each([{ query: 7 }, { query: "hi", more: 1 }])(
    "a bad argument %j is a failed result at once",
    async (input) => {
      const { result } = await send("tools/call", { name: "agent_helper", arguments: input });
      expect(result).toMatchObject({ resultType: "complete", isError: true });
    },
  );
});

describe("cancelling", () => {
  test("stops the run, and the task stays cancelled; twice is as once", async () => {
    const { taskId } = await begin();
    const cut = daemon.models.lab.requests.at(-1)?.cut;
    for (let times = 0; times < 2; times++)
      expect((await send("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
    await cut;
    const cancelled = await get(taskId);
    expect(cancelled).toMatchObject({ status: "cancelled" });
    expect(cancelled).not.toHaveProperty("result");
  });

  test("an ended task stays what it is", async () => {
    const { taskId } = await begin();
    model.let("Done.");
    await ended(taskId);
    await send("tasks/cancel", { taskId });
    expect(await get(taskId)).toMatchObject({ status: "completed" });
  });
});

describe("refusals", () => {
  const methods: [string, object][] = [
    ["tasks/get", {}],
    ["tasks/update", { inputResponses: {} }],
    ["tasks/cancel", {}],
  ];
  test.each(methods)("%s of a client that takes no tasks is 400 -32021", async (method, more) => {
    const answer = await send(method, { taskId: "x", ...more }, { capabilities: {} });
    expect({ status: answer.status, code: answer.error.code }).toEqual({ status: 400, code: -32_021 });
    expect(answer.error.data).toMatchObject(missing);
  });

  test.each(methods)("%s of an unknown or foreign task, or of none, is -32602", async (method, more) => {
    const { taskId } = await begin();
    model.let("Done.");
    await ended(taskId);
    for (const id of [
      "x",
      `${taskId}x`,
      taskId.toUpperCase(),
      "'; drop table mcp_tasks",
      "x".repeat(300),
      7,
      undefined,
    ]) {
      const answer = await send(method, { taskId: id, ...more });
      expect({ id, code: answer.error?.code }).toEqual({ id, code: -32_602 });
    }
    const foreign = await send(method, { taskId, ...more }, { headers: { authorization: "Bearer another" } });
    expect(foreign.error.code).toBe(-32_602);
    expect((await send(method, { taskId, ...more })).error).toBeUndefined();
  });

  test.each(methods)("%s with another task in Mcp-Name is 400 -32020", async (method, more) => {
    const answer = await send(method, { taskId: "x", ...more }, { headers: { "mcp-name": "y" } });
    expect({ status: answer.status, code: answer.error.code }).toEqual({ status: 400, code: -32_020 });
  });
});

test("a subscription tells of the end of the client's tasks, and of no others", async () => {
  const { taskId } = await begin();
  const leave = new AbortController();
  const listen = (capabilities: object) =>
    openStateless(
      daemon.url,
      "subscriptions/listen",
      { notifications: { taskIds: [taskId, "unknown"] } },
      { id: "ears", capabilities, signal: leave.signal },
    );
  expect((await listen({})).status).toBe(400);
  const events = rpcEvents(await listen(takesTasks));
  expect((await events.next()).value.params.notifications).toEqual({ taskIds: [taskId] });
  const told = events.next();
  model.let("Done.");
  expect((await told).value).toMatchObject({
    method: "notifications/tasks",
    params: { taskId, status: "completed", result: { content: [{ text: "Done." }] } },
  });
  leave.abort();
});

test("a task that waits for a person ends with what the run answers after the decision", async () => {
  const steps: ModelStep[] = [
    { toolCalls: [{ name: "datetime_now", arguments: {} }] },
    { text: "It is late." },
  ];
  let at = 0;
  await using careful = await startDaemon({
    models: { lab: () => steps[Math.min(at++, 1)] ?? {} },
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        tools: [{ name: "datetime_now", type: "builtin", requires_approval: true }],
      }),
    },
  });
  const { result } = await send(
    "tools/call",
    { name: "agent_helper", arguments: { query: "hi" } },
    {},
    careful,
  );
  expect(result).toMatchObject({ resultType: "task", status: "working" });
  const waiting = await get(result.taskId, careful);
  expect(waiting).toMatchObject({ status: "working", statusMessage: expect.stringContaining("a person") });
  const { approvals } = (await careful.call("GET", "/v1/approvals?status=pending")).body;
  await careful.call("POST", `/v1/approvals/${approvals[0].id}/approve`, { body: {} });
  expect(await get(result.taskId, careful)).toMatchObject({
    status: "completed",
    result: { content: [{ text: "It is late." }] },
  });
});

test("after a restart, another process continues the run, and the client gets its result", async () => {
  using folder = temporaryFolder();
  const start = () => startDaemon({ workspace: folder.path, models: { lab: () => model.script() } });
  const first = await start();
  const { taskId } = await begin(first);
  await first[Symbol.asyncDispose]();
  model.again();
  await using second = await start();
  await model.asked();
  expect(await get(taskId, second)).toMatchObject({ status: "working" });
  model.let("Done.");
  expect(await ended(taskId, second)).toMatchObject({
    status: "completed",
    result: { content: [{ text: "Done." }] },
  });
});
