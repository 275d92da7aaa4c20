import { expect, test } from "bun:test";
import { bookingQuestion, startAskingServer } from "../../../support/asking-server.ts";
import { type ChannelDaemon, deliverText, startChannelDaemon } from "../../../support/channel-daemon.ts";
import { agentFile } from "../../../support/daemon.ts";
import { textMessage } from "../../../support/message-provider.ts";
import type { ModelScript } from "../../../support/model-server.ts";

const user = "5215550002222";

/** Calls the tool for the first message, and repeats the newest result. */
const script: ModelScript = ({ body }) => {
  const result = body.messages.findLast(({ role }) => role === "tool");
  if (result !== undefined) return { text: `Result: ${String(result.content)}` };
  return { text: "", toolCalls: [{ id: "call-1", name: "lab__echo", arguments: {} }] };
};

const start = (url: string) =>
  startChannelDaemon({
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        tools: [{ name: "lab", type: "mcp", config: { transport: "http", url, allow_localhost: true } }],
      }),
    },
    models: { lab: script },
  });

async function told({ provider, idle, tick }: ChannelDaemon, count: number): Promise<string[]> {
  await idle();
  while (provider.textsTo(user).length < count) await tick(1000);
  await idle();
  return provider.textsTo(user);
}

const guests = { ...bookingQuestion.requestedSchema.properties.guests };
const howMany = {
  message: "How many guests?",
  requestedSchema: { type: "object", properties: { guests }, required: ["guests"] },
};

test("a server's question is sent as text, and the next message answers it", async () => {
  await using server = startAskingServer(howMany);
  await using channel = await start(server.url);
  await deliverText(channel, textMessage("wamid.1", "A table, please."));
  const question = [
    "lab asks: How many guests?",
    "- Guests (whole number)",
    'Answer with the value, or "decline".',
  ].join("\n");
  expect(await told(channel, 1)).toEqual([question]);
  await deliverText(channel, textMessage("wamid.2", "many"));
  const again = 'Guests must be a number.\nPlease answer again, or write "decline".';
  expect(await told(channel, 2)).toEqual([question, again]);
  await deliverText(channel, textMessage("wamid.3", "3"));
  const texts = await told(channel, 3);
  expect(texts.at(-1)).toContain('{"guests":3}');
  await channel.daemon.clock.advance(61_000);
  await channel.idle();
  expect(channel.provider.textsTo(user)).toHaveLength(3);
  expect(await channel.counted("messages")).toMatchObject({
    awaits_answer: 1,
    answers_question: 2,
    answered: 1,
  });
});

test("a person may decline, and is asked each further question", async () => {
  await using server = startAskingServer(howMany, {
    mode: "url",
    message: "Pay here.",
    url: "https://pay.example.org/",
  });
  await using channel = await start(server.url);
  await deliverText(channel, textMessage("wamid.1", "A table, please."));
  await told(channel, 1);
  await deliverText(channel, textMessage("wamid.2", "2"));
  const [, second] = await told(channel, 2);
  expect(second).toContain("Open https://pay.example.org/ yourself");
  await deliverText(channel, textMessage("wamid.3", "no"));
  expect((await told(channel, 3)).at(-1)).toContain('{"action":"decline"}');
});

test("another person's message does not answer it", async () => {
  await using server = startAskingServer(howMany);
  await using channel = await start(server.url);
  await deliverText(channel, textMessage("wamid.1", "A table, please."));
  await told(channel, 1);
  const other = textMessage("wamid.9", "3");
  await deliverText(channel, { ...other, from: "5215550003333" });
  await channel.idle();
  const { body } = await channel.daemon.call("GET", "/v1/approvals?status=pending");
  expect(body.approvals).toHaveLength(2);
});
