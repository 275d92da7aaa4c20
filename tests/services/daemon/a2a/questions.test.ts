import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  askingAgent,
  bookingQuestion,
  callsEcho,
  goodAnswer,
  startAskingServer,
} from "../../../support/asking-server.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { StatelessServer } from "../../../support/stateless-mcp-server.ts";

let server: StatelessServer;
let daemon: TestDaemon;
beforeEach(async () => {
  server = startAskingServer(bookingQuestion);
  daemon = await startDaemon({
    agents: askingAgent(server.url, { a2a: { enabled: true } }),
    models: { lab: callsEcho },
  });
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const call = async (method: string, params: object) =>
  (await daemon.call("POST", "/a2a/waiter", { body: { jsonrpc: "2.0", id: 7, method, params } })).body;
const message = (part: object, more: object = {}) => ({
  message: { kind: "message", role: "user", messageId: "m", parts: [part], ...more },
});
const text = (said: string) => ({ kind: "text", text: said });
const asked = async () => (await call("message/send", message(text("A table, please.")))).result;

describe("a question of a tool's server", () => {
  test("is an input-required task, which a message with the values continues", async () => {
    const task = await asked();
    expect(task.status.state).toBe("input-required");
    expect(task.status.message.parts[0].text).toContain("lab asks: Which table?");
    expect(task.metadata.question.fields).toHaveLength(5);
    const { result } = await call(
      "message/send",
      message({ kind: "data", data: goodAnswer }, { taskId: task.id }),
    );
    expect([result.id, result.contextId, result.status.state]).toEqual([
      task.id,
      task.contextId,
      "completed",
    ]);
    expect(result.artifacts[0].parts[0].text).toContain("ada@example.org");
    expect(result.history).toHaveLength(2);
    expect((await call("tasks/get", { id: task.id })).result).toEqual(result);
  });

  test("can be answered in words, declined, and streamed", async () => {
    const task = await asked();
    const body = {
      jsonrpc: "2.0",
      id: "s",
      method: "message/stream",
      params: message(text("decline"), { taskId: task.id }),
    };
    const events = (await daemon.call("POST", "/a2a/waiter", { body })).text;
    expect(events).toContain('"state":"completed"');
    expect((await call("tasks/get", { id: task.id })).result.artifacts[0].parts[0].text).toContain("decline");
    const other = await asked();
    const words = message(text("2\n-\nOutside\n-\nyes"), { taskId: other.id });
    const { result } = await call("message/send", words);
    expect(result.artifacts[0].parts[0].text).toContain('"area":"out","window":true');
  });

  test("stays open after an answer that doesn't fit, and takes one answer", async () => {
    const task = await asked();
    for (const part of [
      text("many"),
      { kind: "data", data: { guests: 2 } },
      { kind: "data", data: { a: { b: 1 } } },
    ]) {
      const { error } = await call("message/send", message(part, { taskId: task.id }));
      expect([error.code, error.data.code]).toEqual([-32_602, "invalid_request"]);
    }
    const good = message({ kind: "data", data: goodAnswer }, { taskId: task.id });
    const both = await Promise.all([call("message/send", good), call("message/send", good)]);
    expect(both.filter(({ result }) => result?.status.state === "completed")).toHaveLength(1);
    expect((await call("message/send", good)).error.data.code).toBe("operation_not_supported");
    expect((await call("tasks/cancel", { id: task.id })).error.data.code).toBe("task_not_cancelable");
  });
});
