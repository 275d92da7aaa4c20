import { afterAll, beforeAll, expect, test } from "bun:test";
import { ClientFactory } from "@a2a-js/sdk/client";
import { ClientFactory as ClientFactory03 } from "a2a-sdk-0.3/client";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";

/*
 * The clients of the protocol's own SDKs: 1.3 without its compatibility mode, and 0.3.14.
 */

const desk = `apiVersion: platform/v1
kind: Agent
metadata: {name: desk, version: 1.2.3}
spec:
  identity: {display_name: Desk, description: Answers questions about orders.}
  model: {primary: {provider: lab, model: m1}}
  a2a: {enabled: true}
`;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ agents: { "desk.agent.yaml": desk } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const message1 = (text: string, more: object = {}) => ({
  message: {
    messageId: "m1",
    contextId: "",
    taskId: "",
    role: 1,
    parts: [
      { content: { $case: "text" as const, value: text }, metadata: undefined, filename: "", mediaType: "" },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
  tenant: "",
  configuration: undefined,
  metadata: undefined,
});

test("the client of 1.0 finds the agent, asks it, streams, and reads, lists and refuses tasks", async () => {
  const client = await new ClientFactory().createFromUrl(daemon.url);
  expect(client.protocolVersion).toBe("1.0");
  const sent = (await client.sendMessage(message1("Hi", { contextId: "c1" }) as never)) as never as {
    id: string;
    contextId: string;
    status: { state: number };
    artifacts: { parts: { content: { value: string } }[] }[];
  };
  expect(sent).toMatchObject({ contextId: "c1", status: { state: 3 } });
  expect(sent.artifacts[0]?.parts[0]?.content.value).toBe("Hello there.");
  expect(await client.getTask({ id: sent.id, tenant: "" } as never)).toMatchObject({
    id: sent.id,
    status: { state: 3 },
  });
  const kinds: string[] = [];
  for await (const event of client.sendMessageStream(message1("Hi") as never))
    kinds.push((event as { payload?: { $case: string } }).payload?.$case ?? "none");
  expect(kinds[0]).toBe("task");
  expect(kinds).toContain("artifactUpdate");
  expect(kinds.at(-1)).toBe("statusUpdate");
  const listed = (await client.listTasks({
    tenant: "",
    contextId: "c1",
    status: 0,
    pageToken: "",
  } as never)) as never as { tasks: { id: string }[] };
  expect(listed.tasks.map(({ id }) => id)).toEqual([sent.id]);
  await expect(client.cancelTask({ id: sent.id } as never)).rejects.toThrow();
  await expect(client.getTask({ id: "none" } as never)).rejects.toThrow();
});

test("the client of 1.0 sets, reads, lists and deletes push notifications", async () => {
  const client = await new ClientFactory().createFromUrl(daemon.url);
  const { id: taskId } = (await client.sendMessage(message1("Hi") as never)) as never as { id: string };
  const push = {
    taskId,
    id: "p1",
    url: "https://example.com/hook",
    token: "t",
    tenant: "",
    authentication: undefined,
  };
  expect(await client.createTaskPushNotificationConfig(push as never)).toMatchObject({ id: "p1", taskId });
  expect(await client.getTaskPushNotificationConfig({ taskId, id: "p1" } as never)).toMatchObject({
    url: push.url,
  });
  const listed = await client.listTaskPushNotificationConfig({ taskId } as never);
  expect(listed).toMatchObject({ configs: [{ id: "p1" }] });
  await client.deleteTaskPushNotificationConfig({ taskId, id: "p1" } as never);
  await expect(client.getTaskPushNotificationConfig({ taskId, id: "p1" } as never)).rejects.toThrow();
});

const message03 = (text: string) => ({
  message: {
    kind: "message" as const,
    role: "user" as const,
    messageId: "m1",
    parts: [{ kind: "text" as const, text }],
  },
});

test("the client of 0.3 finds the same agent, asks it, streams, reads tasks and sets push notifications", async () => {
  const client = await new ClientFactory03().createFromUrl(daemon.url);
  const sent = (await client.sendMessage(message03("Hi"))) as { id: string; status: { state: string } };
  expect(sent.status.state).toBe("completed");
  expect(await client.getTask({ id: sent.id })).toMatchObject({ id: sent.id });
  const kinds: string[] = [];
  for await (const event of client.sendMessageStream(message03("Hi"))) kinds.push(event.kind);
  expect(kinds[0]).toBe("task");
  expect(kinds.at(-1)).toBe("status-update");
  const again: string[] = [];
  for await (const event of client.resubscribeTask({ id: sent.id })) again.push(event.kind);
  expect(again).toEqual(["task"]);
  const config = {
    taskId: sent.id,
    pushNotificationConfig: { id: "p", url: "https://example.com/hook", token: "t" },
  };
  expect(await client.setTaskPushNotificationConfig(config)).toMatchObject(config);
  expect(await client.getTaskPushNotificationConfig({ id: sent.id })).toMatchObject(config);
  expect(await client.listTaskPushNotificationConfig({ id: sent.id })).toMatchObject([config]);
  await client.deleteTaskPushNotificationConfig({ id: sent.id, pushNotificationConfigId: "p" });
  expect(await client.listTaskPushNotificationConfig({ id: sent.id })).toEqual([]);
});
