import { expect, test } from "bun:test";
import { bindTools } from "../../../../src/engine/tools/bind-tools.ts";
import { executeTool } from "../../../../src/engine/tools/execute-tool.ts";
import type { RunMessage } from "../../../../src/engine/tools/run-means.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { toolPorts } from "../../../support/tool-ports.ts";

function sendMessage(config = {}) {
  const entry = {
    name: "send_message",
    type: "internal",
    permissions: [],
    timeout_seconds: 30,
    requires_approval: false,
    mode: "execute",
    config,
  } as const;
  const { tools, problems } = bindTools(
    { tools: [entry] as never, permissions: {} },
    toolPorts({ clock: new FakeClock() }),
  );
  expect(problems).toEqual([]);
  const tool = tools.get("send_message");
  if (tool === undefined) throw new Error("no tool");
  return tool;
}

test("hands the message to the run's sender", async () => {
  const sent: RunMessage[] = [];
  const means = {
    connection: () => undefined,
    async send(message: RunMessage) {
      sent.push(message);
      return { message_id: "m1", status: "queued" };
    },
  };
  const input = { channel: "whatsapp", recipient: "+34", text: "hi", conversation_ref: "c1" };
  expect(await executeTool(sendMessage(), input, { ...toolContext(), means })).toEqual({
    success: true,
    data: { message_id: "m1", status: "queued" },
  });
  expect(sent).toEqual([{ channel: "whatsapp", recipient: "+34", text: "hi", conversationRef: "c1" }]);
});

test("the model gets a refusal in its own words", async () => {
  const means = {
    connection: () => undefined,
    send: () => Promise.reject(new AppError("forbidden", "recipient_not_allowed", "Not to this recipient.")),
  };
  const input = { channel: "whatsapp", recipient: "+34", text: "hi" };
  expect(await executeTool(sendMessage(), input, { ...toolContext(), means })).toEqual({
    success: false,
    error: "Not to this recipient.",
  });
});

test.each([
  {},
  { channel: "w", recipient: "r" },
  { channel: "w", recipient: "r", text: "" },
  { channel: "w", recipient: "r", text: "x", token: "t" },
])("%j is not a message", async (input) => {
  const means = { connection: () => undefined, send: () => Promise.reject(new Error("not reached")) };
  expect(await executeTool(sendMessage(), input, { ...toolContext(), means })).toMatchObject({
    success: false,
  });
});
