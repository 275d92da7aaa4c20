import { afterAll, describe, expect, test } from "bun:test";
import { boundTool, callTool } from "../../../support/call-tool.ts";
import { testNetwork } from "../../../support/test-network.ts";

let seen: unknown;
let status = 200;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    seen = { path: new URL(request.url).pathname, body: await request.json() };
    return new Response("ok", { status });
  },
});
afterAll(() => server.stop(true));

const network = testNetwork({ allow: ["127.0.0.1"] });
const webhook = `http://chat.test:${server.port}/services/T0/SECRETPATH`;
const secrets = (name: string) => (name === "CHAT_WEBHOOK_URL" ? webhook : undefined);

test.each<[where: string, config: Record<string, unknown>, secret: typeof secrets]>([
  ["the entry", { webhook_url: webhook }, () => undefined],
  ["the environment", {}, secrets],
  ["the entry before the environment", { webhook_url: webhook }, () => "http://chat.test:1/other"],
])("the webhook of %s gets the message", async (_, config, secret) => {
  const send = (input: Record<string, unknown>) =>
    callTool({ name: "send_chat", config }, input, { network, secret });
  expect(await send({ message: "hi" })).toEqual({ success: true, data: { sent: true, status: 200 } });
  expect(seen).toEqual({ path: "/services/T0/SECRETPATH", body: { text: "hi" } });
  await send({ message: "hi", channel: "#ops" });
  expect(seen).toMatchObject({ body: { text: "hi", channel: "#ops" } });
});

test("without a webhook the result says that nothing was sent", async () => {
  expect(await callTool({ name: "send_chat" }, { message: "hi" }, { network })).toEqual({
    success: false,
    error: expect.stringContaining("No chat is configured"),
  });
});

describe("no failure shows the webhook", () => {
  test.each<[what: string, url: string, answer: number, error: string]>([
    ["refused by the chat", webhook, 403, "it wants other credentials"],
    ["gone", webhook, 404, "nothing at this URL"],
    ["on a private network", "http://10.0.0.1/services/SECRETPATH", 200, "not on the public internet"],
    ["unreachable", "http://chat.test:1/services/SECRETPATH", 200, "This port may not be called"],
    [
      "not there",
      `http://chat.test:${server.port === 65_535 ? 65_534 : 65_535}/SECRETPATH`,
      200,
      "could not be reached",
    ],
    ["not even a URL", "https:// SECRETPATH", 200, "not a URL"],
  ])("%s", async (_, url, answer, error) => {
    status = answer;
    const result = await callTool({ name: "send_chat" }, { message: "hi" }, { network, secret: () => url });
    expect(result).toEqual({ success: false, error: expect.stringContaining(error) });
    expect(JSON.stringify(result)).not.toMatch(/SECRETPATH|chat\.test|10\.0/);
    status = 200;
  });

  test("nor does an entry's problem, or a proposal", () => {
    const config = { webhook_url: "https://user:pass@chat.test/SECRETPATH" };
    expect(() => boundTool({ name: "send_chat", config })).toThrow(
      "spec.tools[0].config.webhook_url can't be called: The URL may not hold a user name or a password; send credentials in a header.",
    );
    const { describeCall } = boundTool({ name: "send_chat", config: { webhook_url: webhook } }).tool;
    expect(describeCall?.({ message: "hi" })).toEqual({ target: "chat", operation: "post" });
    expect(describeCall?.({ message: "hi", channel: "#ops" })).toEqual({ target: "#ops", operation: "post" });
  });
});
