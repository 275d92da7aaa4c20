import { describe, expect, test } from "bun:test";
import {
  accessToken,
  type ChannelDaemon,
  startChannelDaemon,
  verifyToken,
  webhook,
} from "../../../support/channel-daemon.ts";
import { agentFile } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";
import { appSecret, deliveryOf, signatureOf, textMessage } from "../../../support/message-provider.ts";

const delivery = deliveryOf([textMessage("wamid.1", "hi")]);
const signed = { "x-hub-signature-256": signatureOf(delivery) };
const forwarded = { "x-forwarded-for": "203.0.113.7" };
const handshake = `${webhook}?${new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": verifyToken, "hub.challenge": "7" })}`;

test("an exposed daemon takes deliveries without its API token; everything else is 401", async () => {
  await using channel = await startChannelDaemon({
    configure: (config) => ({
      ...config,
      access: { allowedHosts: ["argosy.example"], apiToken: "t".repeat(40), insecureOpen: false },
    }),
  });
  const { daemon } = channel;
  expect((await daemon.call("GET", handshake)).text).toBe("7");
  expect((await channel.deliver(delivery)).status).toBe(200);
  expect((await channel.deliver(delivery, { ...signed, ...forwarded })).status).toBe(200);
  expect((await channel.deliver(delivery, forwarded)).status).toBe(403);
  expect((await daemon.call("GET", "/v1/agents")).status).toBe(401);
  expect((await daemon.call("GET", "/v1/channels/phone_messenger")).status).toBe(401);
  // The API token is not a signature.
  const bearer = { authorization: `Bearer ${"t".repeat(40)}` };
  expect((await channel.deliver(delivery, bearer)).status).toBe(403);
});

describe("without an app secret", () => {
  test("deliveries of this machine are taken, those that a proxy forwards are refused", async () => {
    await using channel = await startChannelDaemon({ settings: { appSecret: undefined } });
    expect((await channel.deliver(delivery, {})).status).toBe(200);
    expect((await channel.deliver(delivery, signed)).status).toBe(200);
    for (const header of [forwarded, { forwarded: "for=203.0.113.7" }, { "x-forwarded-proto": "https" }]) {
      const configureToken = { ...header, ...signed };
      expect((await channel.deliver(delivery, configureToken)).body.error).toBe("signature_invalid");
    }
    expect(channel.daemon.logLines().join("\n")).toContain("channel.unsigned");
  });

  test("with allow_unsigned those are taken as well", async () => {
    const settings = { appSecret: undefined, allowsUnsigned: true };
    await using channel = await startChannelDaemon({ settings });
    expect((await channel.deliver(delivery, forwarded)).status).toBe(200);
  });
});

describe("the doctor", () => {
  const check = async ({ daemon }: ChannelDaemon) => {
    const { body } = await daemon.call("GET", "/v1/system/doctor");
    return body.checks.find(({ name }: { name: string }) => name === "channels");
  };

  test("says who answers", async () => {
    await using channel = await startChannelDaemon();
    expect(await check(channel)).toEqual({
      name: "channels",
      status: "healthy",
      message: "phone_messenger is answered by the agent helper. 0 messages wait for an answer.",
    });
  });

  test("names an agent that is missing, as the start does", async () => {
    await using channel = await startChannelDaemon({ settings: { defaultAgent: "helpr" } });
    expect((await check(channel)).status).toBe("failing");
    expect((await check(channel)).message).toContain('There is no agent named "helpr"');
    const line = channel.daemon.logLines().find((one) => one.includes("channel.agent_missing"));
    expect(JSON.parse(line ?? "{}")).toMatchObject({ level: "warning" });
    channel.daemon.writeAgent("helpr.agent.yaml", agentFile("helpr"));
    while ((await check(channel)).status !== "healthy") await channel.daemon.clock.advance(1000);
  });

  test("names a secret that is missing, or wrong", async () => {
    await using unsigned = await startChannelDaemon({ settings: { appSecret: undefined } });
    expect(await check(unsigned)).toMatchObject({ status: "degraded" });
    await using other = await startChannelDaemon({ settings: { appSecret: `${appSecret}x` } });
    for (let time = 0; time < 3; time++) await other.deliver(delivery);
    expect((await check(other)).message).toContain("None of 3 deliveries");
  });
});

test("a stop lets the run in work end and its answer go out", async () => {
  const model = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let sent: string[] = [];
  {
    await using channel = await startChannelDaemon({
      models: { lab: () => ({ text: "At last.", after: model.promise }) },
      script: () => {
        ended.resolve();
        return {};
      },
    });
    await channel.deliver(delivery);
    while (channel.daemon.models.lab.requests.length < 1) await settle();
    sent = channel.provider.textsTo("5215550002222");
    expect(sent).toEqual([]);
    setImmediate(() => model.resolve());
    // The end of the block stops the daemon; its clock does not move until the answer has been sent.
    channel.daemon.clock.holdUntil(ended.promise);
  }
  await ended.promise;
});

test("secrets of the channel are in no answer, log or metric", async () => {
  await using channel = await startChannelDaemon({
    script: [
      { status: 500, body: `Bearer ${accessToken}` },
      { status: 400, body: `{"error":{"code":"${accessToken}"}}` },
    ],
  });
  const { daemon } = channel;
  await channel.deliver(delivery);
  await channel.idle(1000);
  const shown = [daemon.logLines().join("\n")];
  const paths = [
    "/metrics",
    "/v1/metrics",
    "/v1/system/doctor",
    "/v1/traces",
    "/openapi.json",
    "/docs",
    handshake,
  ];
  for (const path of paths) shown.push((await daemon.call("GET", path)).text);
  for (const secret of [accessToken, verifyToken, appSecret]) expect(shown.join("\n")).not.toContain(secret);
  const { paths: routes } = JSON.parse((await daemon.call("GET", "/openapi.json")).text);
  expect(Object.keys(routes[webhook])).toEqual(["get", "post"]);
});
