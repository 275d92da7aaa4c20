import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";

const desk = `apiVersion: platform/v1
kind: Agent
metadata: {name: desk}
spec:
  model: {primary: {provider: lab, model: m1}}
  a2a: {enabled: true}
`;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ agents: { "desk.agent.yaml": desk } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const rpc = async (method: string, params: unknown, version = "1.0") =>
  (
    await daemon.call("POST", "/a2a/desk", {
      body: { jsonrpc: "2.0", id: 1, method, params },
      headers: { "a2a-version": version },
    })
  ).body;

const send = (message: object = {}, configuration: object = {}) => ({
  message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hi" }], ...message },
  configuration,
});

test("a message is answered in the JSON of 1.0", async () => {
  const { result } = await rpc(
    "SendMessage",
    send({ contextId: "c", parts: [{ text: "Hi" }, { data: [1, { a: 2 }] }] }),
  );
  expect(result).toMatchObject({
    task: {
      contextId: "c",
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ name: "response", parts: [{ text: "Hello there." }] }],
      history: [{ role: "ROLE_USER", parts: [{ text: "Hi" }, { data: [1, { a: 2 }] }] }],
    },
  });
  expect(JSON.stringify(result)).not.toContain('"kind"');
  expect(JSON.stringify(daemon.models.lab.requests.at(-1)?.body)).toContain('[1,{\\"a\\":2}]');
});

test("with returnImmediately the task works on, and can be subscribed to until it ends", async () => {
  const { result } = await rpc("SendMessage", send({}, { returnImmediately: true }));
  expect(["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]).toContain(result.task.status.state);
  const { text } = await daemon.call("POST", "/a2a/desk", {
    body: { jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: result.task.id } },
    headers: { "a2a-version": "1.0" },
  });
  // It may have ended before: then the subscription is refused, as 1.0 wants it.
  expect(text).toMatch(/TASK_STATE_COMPLETED|-32004/);
});

test("the stream of a task that has ended is -32004", async () => {
  const { result } = await rpc("SendMessage", send());
  const { text } = await daemon.call("POST", "/a2a/desk", {
    body: { jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: result.task.id } },
    headers: { "a2a-version": "1.0" },
  });
  expect(text).toContain('"code":-32004');
});

test("tasks are listed in pages, the newest first, without artifacts unless they are asked for", async () => {
  for (let number = 0; number < 3; number++) await rpc("SendMessage", send({ contextId: "pages" }));
  const first = (await rpc("ListTasks", { contextId: "pages", pageSize: 2 })).result;
  expect(first).toMatchObject({ pageSize: 2, totalSize: 3 });
  expect(first.tasks[0].artifacts).toBeUndefined();
  const second = (await rpc("ListTasks", { contextId: "pages", pageSize: 2, pageToken: first.nextPageToken }))
    .result;
  expect(second).toMatchObject({ pageSize: 1, nextPageToken: "" });
  expect(new Set([...first.tasks, ...second.tasks].map(({ id }: { id: string }) => id)).size).toBe(3);
  const whole = (await rpc("ListTasks", { contextId: "pages", includeArtifacts: true, historyLength: 0 }))
    .result;
  expect(whole.tasks[0]).toMatchObject({ artifacts: [{ name: "response" }], history: [] });
  expect((await rpc("ListTasks", { contextId: "pages", status: "TASK_STATE_FAILED" })).result.tasks).toEqual(
    [],
  );
});

test.each<[string, string, unknown, number]>([
  ["a method of 0.3", "message/send", send(), -32_601],
  ["no params", "SendMessage", undefined, -32_602],
  ["a role that is none", "SendMessage", send({ role: "user" }), -32_602],
  ["a message of an agent", "SendMessage", send({ role: "ROLE_AGENT" }), -32_602],
  ["no parts", "SendMessage", send({ parts: [] }), -32_602],
  ["65 parts", "SendMessage", send({ parts: Array(65).fill({ text: "x" }) }), -32_602],
  ["an empty part", "SendMessage", send({ parts: [{}] }), -32_005],
  ["a file", "SendMessage", send({ parts: [{ raw: "AAAA" }] }), -32_005],
  ["a file elsewhere", "SendMessage", send({ parts: [{ url: "file:///etc/passwd" }] }), -32_005],
  ["a context id that cannot be a session", "SendMessage", send({ contextId: ".." }), -32_602],
  ["a message to a task that doesn't exist", "SendMessage", send({ taskId: "x" }), -32_001],
  ["an unknown task", "GetTask", { id: "x" }, -32_001],
  ["a page that is unknown", "ListTasks", { pageToken: "x" }, -32_602],
  ["a state that is none", "ListTasks", { status: "DONE" }, -32_602],
  ["a page that is too long", "ListTasks", { pageSize: 101 }, -32_602],
  [
    "a push configuration without a task",
    "CreateTaskPushNotificationConfig",
    { url: "https://a.example" },
    -32_602,
  ],
  [
    "a push configuration of an unknown task",
    "CreateTaskPushNotificationConfig",
    { taskId: "x", url: "https://a.example" },
    -32_001,
  ],
  ["an id that is not text", "GetTaskPushNotificationConfig", { taskId: {} }, -32_602],
  ["the extended card", "GetExtendedAgentCard", {}, -32_007],
])("%s is a JSON-RPC error", async (_, method, params, code) => {
  expect((await rpc(method, params)).error?.code).toBe(code);
});

test.each([
  ["1.0", undefined],
  ["1.0.0", undefined],
  ["2.0", -32_009],
  ["0.2", -32_009],
  ["1", -32_009],
  ["1.0, 0.3", -32_009],
  ["constructor", -32_009],
])("the version %s: %p", async (version, code) => {
  expect((await rpc("GetTask", { id: "x" }, version)).error.code).toBe(code ?? -32_001);
});

test("a task may have four push configurations, and shows no credentials", async () => {
  const { result } = await rpc("SendMessage", send());
  const taskId = result.task.id;
  const authentication = { scheme: "Bearer", credentials: "a-credential" };
  for (const id of ["a", "b", "c", "d"]) {
    const set = await rpc("CreateTaskPushNotificationConfig", {
      taskId,
      id,
      url: "https://a.example",
      authentication,
    });
    expect(set.result).toMatchObject({ id, authentication: { scheme: "Bearer" } });
    expect(JSON.stringify(set)).not.toContain("a-credential");
  }
  expect(
    (await rpc("CreateTaskPushNotificationConfig", { taskId, id: "e", url: "https://a.example" })).error.data
      .code,
  ).toBe("too_many");
  expect(
    (await rpc("CreateTaskPushNotificationConfig", { taskId, id: "a", url: "https://b.example" })).result.url,
  ).toBe("https://b.example");
});
