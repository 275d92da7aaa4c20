import { describe, expect, test } from "bun:test";
import {
  accessToken,
  type ChannelDaemon,
  deliverText,
  startChannelDaemon,
} from "../../../support/channel-daemon.ts";
import { agentFile } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";
import { deliveryOf, providerError, statusOf, textMessage } from "../../../support/message-provider.ts";

const user = "5215550002222";
const failed = "Sorry, something went wrong and I could not answer. Please try again in a moment.";
const tooMany = "You are writing faster than I can answer. Please wait a moment, then write again.";

test("a text is answered at once with 200, then by the agent through the send API, as a conversation with its sender", async () => {
  await using channel = await startChannelDaemon();
  const { daemon, provider } = channel;
  const answer = await deliverText(channel, textMessage("wamid.1", "Hi!"));
  expect(answer).toMatchObject({ status: 200, body: { queued: 1 } });
  await channel.idle();
  expect(provider.sent).toHaveLength(1);
  const [sent] = provider.sent;
  expect(sent?.path).toBe("/v24.0/PNID1/messages");
  expect(sent?.headers.get("authorization")).toBe(`Bearer ${accessToken}`);
  expect(sent?.body).toEqual({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: user,
    type: "text",
    text: { body: "Hello there.", preview_url: false },
    biz_opaque_callback_data: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const history = await daemon.call("GET", `/v1/memory/helper/history/${user}`);
  expect(history.body.messages).toEqual([
    { role: "user", content: "Hi!" },
    { role: "assistant", content: "Hello there." },
  ]);
  const log = daemon.logLines().join("\n");
  for (const personal of ["Hi!", user, "Ana", accessToken]) expect(log).not.toContain(personal);
  expect(await channel.counted("messages")).toMatchObject({ queued: 1, answered: 1, reply_sent: 1 });
  expect(await channel.counted("deliveries")).toEqual({ accepted: 1 });
  expect(await channel.counted("sends")).toEqual({ sent: 1 });
});

test("the delivery is answered while the agent is still at work", async () => {
  const model = Promise.withResolvers<void>();
  await using channel = await startChannelDaemon({
    models: { lab: () => ({ text: "At last.", after: model.promise }) },
  });
  expect((await deliverText(channel, textMessage("wamid.1", "Hi!"))).status).toBe(200);
  expect(channel.provider.sent).toEqual([]);
  model.resolve();
  await channel.idle();
  expect(channel.provider.textsTo(user)).toEqual(["At last."]);
});

describe("a run that fails is a general apology, and its reason is in the log alone", () => {
  const table: [what: string, options: Parameters<typeof startChannelDaemon>[0], code: string][] = [
    ["the provider of the model", { models: { lab: [{ status: 400, body: "no" }] } }, "provider_failed"],
    ["an agent that isn't there", { settings: { defaultAgent: "nobody" } }, "agent_not_found"],
    [
      "an agent that is broken",
      { agents: { "helper.agent.yaml": agentFile("helper", { prompts: { system: "{{" } }) } },
      "agent_failed",
    ],
    [
      "a guardrail",
      {
        agents: {
          "helper.agent.yaml": agentFile("helper", {
            guardrails: { input: [{ type: "max_length", action: "block", max_chars: 1 }] },
          }),
        },
      },
      "guardrail_blocked",
    ],
    ["an answer of spaces", { models: { lab: [{ text: " \n " }] } }, "empty_answer"],
  ];
  test.each(table)("%s", async (_, options, code) => {
    await using channel = await startChannelDaemon(options);
    expect((await deliverText(channel, textMessage("wamid.1", "Hi!"))).status).toBe(200);
    await channel.idle(1000);
    expect(channel.provider.textsTo(user)).toEqual([failed]);
    const line = channel.daemon.logLines().find((one) => one.includes("channel.run_failed"));
    expect(JSON.parse(line ?? "{}").code).toBe(code);
    expect(await channel.counted("messages")).toMatchObject({ run_failed: 1, reply_sent: 1 });
  });
});

test("a run that has to wait for a person's approval says so", async () => {
  await using channel = await startChannelDaemon({
    models: { lab: [{ toolCalls: [{ name: "cache_store", arguments: { action: "get", key: "k" } }] }] },
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        tools: [{ name: "cache_store", type: "builtin", requires_approval: true }],
      }),
    },
  });
  await deliverText(channel, textMessage("wamid.1", "Look it up."));
  await channel.idle();
  expect(channel.provider.textsTo(user)).toEqual([
    "Someone has to approve that before I can go on. I will write to you when they have decided.",
  ]);
  expect((await channel.daemon.call("GET", "/v1/approvals")).body.approvals).toHaveLength(1);
});

test("a run waits for a place; when there is not even room to wait it is tried a few times more", async () => {
  const model = Promise.withResolvers<void>();
  await using channel = await startChannelDaemon({
    runtime: "spec: {limits: {runs_in_flight: 1, runs_waiting: 1}}",
    models: { lab: () => ({ text: "ok", after: model.promise }) },
  });
  const { daemon } = channel;
  const busy = [daemon.run("helper", { query: "one" }), daemon.run("helper", { query: "two" })];
  while (!(await daemon.call("GET", "/metrics")).text.includes("platform_runs_waiting 1")) await settle();
  await deliverText(channel, textMessage("wamid.1", "three"));
  await daemon.clock.advance(3_000);
  expect(channel.provider.sent).toEqual([]);
  model.resolve();
  await Promise.all(busy);
  await channel.idle(1000);
  expect(channel.provider.textsTo(user)).toEqual(["ok"]);
});

test("if no place gets free in time, the sender gets the message of a failure", async () => {
  const model = Promise.withResolvers<void>();
  await using channel = await startChannelDaemon({
    runtime: "spec: {limits: {runs_in_flight: 1, runs_waiting: 1}}",
    models: { lab: () => ({ text: "ok", after: model.promise }) },
    agents: {
      "helper.agent.yaml": agentFile("helper", { orchestration: { pattern: "react", timeout_seconds: 600 } }),
    },
  });
  const { daemon } = channel;
  const busy = [daemon.run("helper", { query: "one" }), daemon.run("helper", { query: "two" })];
  while (!(await daemon.call("GET", "/metrics")).text.includes("platform_runs_waiting 1")) await settle();
  await deliverText(channel, textMessage("wamid.1", "three"));
  await channel.idle(1000);
  expect(channel.provider.textsTo(user)).toEqual([failed]);
  model.resolve();
  await Promise.all(busy);
});

test("a long answer comes as several messages, at most ten", async () => {
  const answer = Array.from({ length: 20 }, (_, at) => `${at} ${"word ".repeat(700)}`).join("\n\n");
  await using channel = await startChannelDaemon({ models: { lab: [{ text: [answer] }] } });
  await deliverText(channel, textMessage("wamid.1", "Tell me all."));
  await channel.idle();
  const texts = channel.provider.textsTo(user);
  expect(texts).toHaveLength(10);
  expect(texts.map((text) => Number.parseInt(text, 10))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(texts.at(-1)).toEndWith(" …");
  for (const text of texts) expect(text.length).toBeLessThanOrEqual(4096);
});

describe("a sender who writes too fast", () => {
  const limited = { settings: { rateLimit: { messagesMax: 2, windowMs: 60_000 } } };
  const write = (channel: ChannelDaemon, from: number, count: number, sender = user) =>
    channel.deliver(
      deliveryOf(
        Array.from({ length: count }, (_, at) =>
          textMessage(`wamid.${from + at}`, String(from + at), { from: sender }),
        ),
      ),
    );

  test("gets one notice in each window, and no agent runs; others are answered", async () => {
    await using channel = await startChannelDaemon(limited);
    expect((await write(channel, 1, 5)).body).toEqual({ queued: 5 });
    await write(channel, 100, 1, "34600");
    await channel.idle();
    expect(channel.provider.textsTo(user).sort()).toEqual(["Hello there.", "Hello there.", tooMany].sort());
    expect(channel.provider.textsTo("34600")).toEqual(["Hello there."]);
    expect(channel.daemon.models.lab.requests).toHaveLength(3);
    // If they are delivered again, they are known, and nothing happens.
    expect((await write(channel, 1, 5)).body).toEqual({ queued: 5 });
    await channel.idle();
    expect(channel.provider.sent).toHaveLength(4);

    await channel.daemon.clock.advance(59_999);
    await write(channel, 10, 1);
    await channel.idle();
    expect(channel.provider.sent).toHaveLength(4);
    await channel.daemon.clock.advance(1);
    await write(channel, 20, 4);
    await channel.idle();
    expect(channel.provider.textsTo(user).filter((text) => text === tooMany)).toHaveLength(2);
    expect(channel.daemon.models.lab.requests).toHaveLength(5);
  });

  test("gets the notice at once, before messages that still wait for an answer", async () => {
    const model = Promise.withResolvers<void>();
    await using channel = await startChannelDaemon({
      ...limited,
      models: { lab: () => ({ text: "ok", after: model.promise }) },
    });
    await write(channel, 1, 3);
    await channel.provider.sentCount(1);
    expect(channel.provider.textsTo(user)).toEqual([tooMany]);
    model.resolve();
    await channel.idle();
    expect(channel.provider.textsTo(user)).toEqual([tooMany, "ok", "ok"]);
  });

  test("messages that are delivered again and again don't count", async () => {
    await using channel = await startChannelDaemon(limited);
    for (let time = 0; time < 10; time++) await write(channel, 1, 1);
    await write(channel, 2, 1);
    await channel.idle();
    expect(channel.provider.textsTo(user)).toEqual(["Hello there.", "Hello there."]);
  });
});

describe("an account that the provider refuses", () => {
  test("is paused, seen by the doctor and in the log without the token; messages wait without runs, and are answered when it is mended", async () => {
    let isMended = false;
    await using channel = await startChannelDaemon({
      script: () => (isMended ? {} : { status: 401, body: providerError(190, { message: accessToken }) }),
    });
    const { daemon, provider } = channel;
    await deliverText(channel, textMessage("wamid.1", "one"));
    await provider.sentCount(1);
    while (!daemon.logLines().some((line) => line.includes("channel.paused"))) await settle();
    await deliverText(channel, textMessage("wamid.2", "two", { from: "34600" }));
    await daemon.clock.advance(30_000);
    expect(daemon.models.lab.requests).toHaveLength(1);
    const doctor = (await daemon.call("GET", "/v1/system/doctor")).body;
    const check = doctor.checks.find(({ name }: { name: string }) => name === "channels");
    expect(check.status).toBe("failing");
    expect(check.message).toContain("error 190");
    expect(check.message).toContain("2 messages wait");

    isMended = true;
    await channel.idle(1_000);
    expect(provider.textsTo(user)).toEqual(["Hello there.", "Hello there."]);
    expect(provider.textsTo("34600")).toEqual(["Hello there."]);
    expect(daemon.models.lab.requests).toHaveLength(2);
    const log = daemon.logLines().join("\n");
    expect(log).not.toContain(accessToken);
    expect(log).toContain("channel.resumed");
    expect(JSON.stringify(doctor)).not.toContain(accessToken);
  });
});

test("a send that broke off is settled by the status that the webhook brings, and not repeated", async () => {
  await using channel = await startChannelDaemon({ script: [{ breaks: "before" }] });
  await deliverText(channel, textMessage("wamid.1", "one"));
  await channel.provider.sentCount(1);
  while ((await channel.counted("sends")).ambiguous !== 1) await settle();
  const token = channel.provider.sent[0]?.body.biz_opaque_callback_data;
  await channel.deliver(deliveryOf([], { messages: undefined, statuses: [statusOf(token, "delivered")] }));
  await channel.idle();
  expect(channel.provider.sent).toHaveLength(1);
  expect(await channel.counted("messages")).toMatchObject({ reply_sent: 1 });
});

test("a message that the provider took and could not deliver is in the log, without a name", async () => {
  await using channel = await startChannelDaemon();
  const failedStatus = (token: string) =>
    statusOf(token, "failed", { errors: [{ code: 131047, title: "x" }] });
  const statuses = [failedStatus("0190.0"), failedStatus(`somebody's words ${user}`)];
  await channel.deliver(deliveryOf([], { messages: undefined, statuses }));
  const lines = channel.daemon.logLines().filter((line) => line.includes("channel.undelivered"));
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(["0190.0", undefined]);
  expect(lines.join("")).not.toContain(user);
  expect(channel.provider.sent).toEqual([]);
});
