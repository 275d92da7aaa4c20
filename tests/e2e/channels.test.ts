import { expect } from "bun:test";
import { agentFile } from "../support/daemon.ts";
import { executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import {
  appSecret,
  deliveryOf,
  phoneNumberId,
  signatureOf,
  startMessageProvider,
  statusOf,
  textMessage,
} from "../support/message-provider.ts";
import { startModelServer } from "../support/model-server.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const webhook = "/v1/channels/phone_messenger/webhook";
const env = {
  CHANNEL_VERIFY_TOKEN: "the verify token",
  CHANNEL_ACCESS_TOKEN: "EAAB-canary-token",
  CHANNEL_PHONE_NUMBER_ID: phoneNumberId,
  CHANNEL_APP_SECRET: appSecret,
};

/** Messages older than a day get no answer, and the executable uses the machine's clock. */
const timestamp = String(Math.floor(Date.now() / 1000));

const deliver = (server: ServerProcess, body: string) =>
  server.call("POST", webhook, { body, headers: { "x-hub-signature-256": signatureOf(body) } });

executableTest(
  "kill -9 while messages are answered: everybody whose message was acknowledged is answered, and nobody twice",
  async () => {
    using folder = temporaryFolder();
    const model = await startModelServer([{ text: "Fine." }]);
    await using provider = await startMessageProvider();
    const channel = { phone_messenger: { default_agent: "helper", api_base_url: provider.url } };
    writeFiles(folder.path, {
      "providers.yaml": JSON.stringify({ providers: { lab: { type: "vllm", endpoint: model.url } } }),
      "agents/helper.agent.yaml": agentFile("helper"),
      "channels.yaml": JSON.stringify({ channels: channel }),
    });
    const acknowledged = new Set<string>();
    let reported = 0;
    /** Reports what the provider accepted before, as it does until a delivery is acknowledged. */
    const report = async (server: ServerProcess) => {
      const statuses = provider.sent
        .slice(reported)
        .map(({ body }) =>
          statusOf(body.biz_opaque_callback_data, "sent", { id: `wamid.${body.biz_opaque_callback_data}` }),
        );
      reported = provider.sent.length;
      if (statuses.length > 0)
        expect((await deliver(server, deliveryOf([], { messages: undefined, statuses }))).status).toBe(200);
    };
    for (let round = 0; round < 4; round++) {
      await using server = await startServer(folder.path, { env });
      await report(server);
      const before = provider.sent.length;
      const deliveries = Array.from({ length: 60 }, async (_, number) => {
        const from = `52${round}${String(number).padStart(3, "0")}`;
        const answer = await deliver(
          server,
          deliveryOf([textMessage(`wamid.${from}`, "hi", { from, timestamp })]),
        );
        if (answer.status === 200) acknowledged.add(from);
      });
      const settled = Promise.allSettled(deliveries);
      await provider.sentCount(before + 10 * (round + 1));
      server.kill("SIGKILL");
      await server.exited;
      await settled;
    }
    await using server = await startServer(folder.path, { env });
    await report(server);
    const doctor = () => server.call("GET", "/v1/system/doctor");
    while (!(await doctor()).text.includes(" 0 messages wait for an answer"))
      await server.call("GET", "/healthz");
    const unanswered = [...acknowledged].filter((from) => provider.textsTo(from).length === 0);
    const twice = [...acknowledged].filter((from) => provider.textsTo(from).length > 1);
    expect(acknowledged.size).toBeGreaterThan(100);
    expect(twice).toEqual([]);
    expect(unanswered).toEqual([]);

    const [first = ""] = acknowledged;
    const sent = provider.sent.length;
    const repeated = deliveryOf([textMessage(`wamid.${first}`, "hi", { from: first, timestamp })]);
    expect((await deliver(server, repeated)).body).toEqual({ queued: 1 });
    expect((await deliver(server, `${repeated} `)).status).toBe(200);
    expect(provider.sent.length).toBe(sent);
    expect(server.stderr()).not.toContain(env.CHANNEL_ACCESS_TOKEN);
    await model.stop();
  },
);

executableTest("a channel that is set up in part refuses the start and names what is missing", async () => {
  using folder = temporaryFolder();
  const { CHANNEL_VERIFY_TOKEN } = env;
  const refused = startServer(folder.path, { env: { CHANNEL_VERIFY_TOKEN } });
  await expect(refused).rejects.toThrow("channels.phone_messenger.default_agent is missing");
});
