import { expect, test } from "bun:test";
import { type ChannelDaemon, deliverText, startChannelDaemon } from "../../../support/channel-daemon.ts";
import { agentFile } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";
import { textMessage } from "../../../support/message-provider.ts";
import type { ModelScript, ModelStep } from "../../../support/model-server.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const user = "5215550002222";
const hold = "Someone has to approve that before I can go on. I will write to you when they have decided.";
const failed = "Sorry, something went wrong and I could not answer. Please try again in a moment.";

/** Calls a tool that many times, once per turn, and then repeats the last result. */
const looksUp =
  (
    times: number,
    tool = "cache_store",
    input: Record<string, unknown> = { action: "get", key: "k" },
  ): ModelScript =>
  ({ body }) =>
    lookUp(body.messages, times, { name: tool, arguments: input });

const once = { name: "cache_store", arguments: { action: "get", key: "k" } };

function lookUp(
  messages: { role: string; content: unknown }[],
  times: number,
  call: { name: string; arguments: Record<string, unknown> },
): ModelStep {
  const results = messages.filter(({ role }) => role === "tool");
  if (results.length < times) return { toolCalls: [call] };
  return { text: `Result: ${String(results.at(-1)?.content)}` };
}

const locate = { name: "locate", type: "client", parameters: { type: "object" } };

const setting = (tools: object[] = [{ name: "cache_store", type: "builtin", requires_approval: true }]) => ({
  agents: { "helper.agent.yaml": agentFile("helper", { tools }) },
});

/** Returns the id of the newest pending approval. */
async function pending({ daemon }: ChannelDaemon): Promise<string> {
  for (;;) {
    const { body } = await daemon.call("GET", "/v1/approvals?status=pending");
    if (body.approvals.length > 0) return body.approvals[0].id;
    await settle();
  }
}

async function told({ provider, idle, tick }: ChannelDaemon, count: number): Promise<string[]> {
  await idle();
  while (provider.textsTo(user).length < count) {
    await tick(1000);
  }
  await idle();
  return provider.textsTo(user);
}

const decide = ({ daemon }: ChannelDaemon, id: string, verdict: "approve" | "reject", body: object = {}) =>
  daemon.call("POST", `/v1/approvals/${id}/${verdict}`, { body: { ...body } });

test.each([
  ["approve", {}, '"found":false'],
  ["reject", { comment: "not on Fridays" }, "not on Fridays"],
] as const)("who wrote gets the answer once the call is decided on: %s", async (verdict, body, answer) => {
  await using channel = await startChannelDaemon({ ...setting(), models: { lab: looksUp(1) } });
  await deliverText(channel, textMessage("wamid.1", "Look it up."));
  expect(await told(channel, 1)).toEqual([hold]);
  expect((await decide(channel, await pending(channel), verdict, body)).status).toBe(200);
  const texts = await told(channel, 2);
  expect(texts).toEqual([hold, expect.stringContaining(answer)]);
  // Only once: the next check finds nothing.
  await channel.daemon.clock.advance(61_000);
  await channel.idle();
  expect(channel.provider.textsTo(user)).toHaveLength(2);
  expect(await channel.counted("messages")).toMatchObject({ awaits_approval: 1, answered: 1, reply_sent: 2 });
});

test("a run that waits again does so in silence, and answers at its end", async () => {
  await using channel = await startChannelDaemon({ ...setting(), models: { lab: looksUp(2) } });
  await deliverText(channel, textMessage("wamid.1", "Look it up."));
  await told(channel, 1);
  expect((await decide(channel, await pending(channel), "approve")).status).toBe(202);
  await channel.daemon.clock.advance(31_000);
  await channel.idle();
  expect(channel.provider.textsTo(user)).toEqual([hold]);
  expect((await decide(channel, await pending(channel), "approve")).status).toBe(200);
  expect(await told(channel, 2)).toEqual([hold, expect.stringContaining("Result:")]);
});

test("a call of a client tool is awaited as well, no matter which client sends its result", async () => {
  const options = { ...setting([locate]), models: { lab: looksUp(1, "locate", {}) } };
  await using channel = await startChannelDaemon(options);
  await deliverText(channel, textMessage("wamid.1", "Where are you?"));
  const [notice] = await told(channel, 1);
  expect(notice).toContain("I have to wait for something");
  const { body } = await channel.daemon.call("GET", "/v1/tool-calls");
  const handedIn = { body: { output: "in Lisbon" } };
  await channel.daemon.call("POST", `/v1/tool-calls/${body.tool_calls[0].id}/result`, handedIn);
  expect((await told(channel, 2)).at(-1)).toBe("Result: in Lisbon");
});

test("messages behind it are answered meanwhile", async () => {
  const script: ModelScript = ({ body: { messages } }) =>
    messages.some(({ content }) => content === "Plain.")
      ? { text: "Plain answer." }
      : lookUp(messages, 1, once);
  await using channel = await startChannelDaemon({ ...setting(), models: { lab: script } });
  await deliverText(channel, textMessage("wamid.1", "Look it up."));
  await told(channel, 1);
  await deliverText(channel, textMessage("wamid.2", "Plain."));
  expect(await told(channel, 2)).toEqual([hold, "Plain answer."]);
});

test("an answer that is decided on after a restart, or just before a stop, is sent by the next process", async () => {
  using folder = temporaryFolder();
  const options = { ...setting(), models: { lab: looksUp(1) }, workspace: folder.path };
  {
    await using channel = await startChannelDaemon(options);
    await deliverText(channel, textMessage("wamid.1", "Look it up."));
    expect(await told(channel, 1)).toEqual([hold]);
  }
  await using channel = await startChannelDaemon(options);
  expect((await decide(channel, await pending(channel), "approve")).status).toBe(200);
  expect(await told(channel, 1)).toEqual([expect.stringContaining("Result:")]);
});

test("a run that fails after the decision answers like any failed run", async () => {
  const script: ModelScript = ({ body: { messages } }) =>
    messages.some(({ role }) => role === "tool") ? { status: 400 } : lookUp(messages, 1, once);
  await using channel = await startChannelDaemon({ ...setting(), models: { lab: script } });
  await deliverText(channel, textMessage("wamid.1", "Look it up."));
  await told(channel, 1);
  await decide(channel, await pending(channel), "approve");
  expect(await told(channel, 2)).toEqual([hold, failed]);
});
