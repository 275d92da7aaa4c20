import { expect, test } from "bun:test";
import { createMessageSender } from "../../../../src/compose/gateway/message-senders.ts";
import { gatewayAdminClient } from "../../../../src/contracts/gateway/client.ts";
import { answeredMessage } from "../../../../src/services/gateway/trail/answered-message.ts";
import { gatewayWorkers } from "../../../../src/services/gateway/workers.ts";
import { settle } from "../../../support/fake-clock.ts";
import { adminToken, asAdmin, processAll, startGateway } from "../../../support/gateway.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("faults of an emulated provider", (engine) => {
  test("of the answer to one message leave an earlier message's answer alone", async () => {
    await using world = await startEmulated(engine);
    const { client, write, outcomes } = world;
    await write("first");
    await client.failEmulated({ cuenta: "PN1", fault: "closed-window", channel_message_id: "second" });
    await write("second");
    await world.sendAll();
    expect(await outcomes()).toEqual({ first: "sent", second: "failed" });
  });

  test("of the account apply to the next messages that it sends, as often as planned", async () => {
    await using world = await startEmulated(engine);
    await world.client.failEmulated({ cuenta: "PN1", fault: "closed-window", veces: 2 });
    for (const id of ["first", "second", "third"]) await world.write(id);
    await world.sendAll();
    expect(await world.outcomes()).toEqual({ first: "failed", second: "failed", third: "sent" });
  });

  test("of another account's message with the same id are not met", async () => {
    await using world = await startEmulated(engine);
    await world.account("PN2");
    await world.client.failEmulated({ cuenta: "PN2", fault: "closed-window", channel_message_id: "first" });
    await world.write("first");
    await world.sendAll();
    expect(await world.outcomes()).toEqual({ first: "sent" });
  });

  test("and its messages are rehearsals: their runs store only the conversation", async () => {
    await using world = await startEmulated(engine);
    await world.write("first");
    await world.sendAll();
    expect(world.gateway.platform.runs.map(({ request }) => request.remember)).toEqual(["conversation"]);
  });

  test("are refused for an account that isn't emulated: 404", async () => {
    await using world = await startEmulated(engine);
    await world.gateway.account("a", "echo", "e1");
    for (const [canal, cuenta] of [
      ["phone_messenger", "nobody"],
      ["echo", "e1"],
    ]) {
      const body = { canal, cuenta, fault: "429" };
      const refused = await world.gateway.call("POST", "/admin/emulator/faults", { headers: asAdmin, body });
      expect([refused.status, refused.body.error]).toEqual([
        404,
        `There is no emulated account ${cuenta} on ${canal}.`,
      ]);
    }
  });
});

const over: ReadonlySet<string> = new Set(["sent", "failed"]);

/** A gateway with the emulated account PN1, whose messages the agent `support` answers. */
async function startEmulated(engine: Parameters<typeof startGateway>[0]) {
  const gateway = await startGateway(engine, (deps) => {
    const { emulated, clock, storage } = deps;
    const answered = (message: { tenantId: string; messageId: string }) => answeredMessage(storage, message);
    const sender = createMessageSender({
      senderOf: () => undefined,
      settled: new Set(),
      emulated,
      answered,
      clock,
    });
    return { ...deps, sender };
  });
  const client = gatewayAdminClient({ fetch: (request) => fetch(request), baseUrl: gateway.url }, adminToken);
  const account = async (externalId: string) => {
    const { id } = await client.saveAccount({
      tenant_id: "a",
      channel: "phone_messenger",
      external_id: externalId,
      credentials: { access_token: "EAAG-access-token-7890" },
      emulated: true,
    });
    await client.createBinding({
      tenant_id: "a",
      account_id: id,
      entry_agent: "support",
      config: { platform_api_key: "apk_test-key-0001" },
    });
  };
  await account("PN1");
  return {
    gateway,
    client,
    account,
    write: (id: string) =>
      client.emulateInbound({ cuenta: "PN1", desde: "521555", texto: id, channel_message_id: id }),
    /** Answers what was written, and sends the answers. */
    async sendAll() {
      await processAll(gateway);
      const stopping = new AbortController();
      const ended = gatewayWorkers(gateway.deps)[0]?.run(stopping.signal);
      while ((await client.listOutbox({ limit: 50 })).entries.some(({ status }) => !over.has(status)))
        await settle();
      stopping.abort();
      await ended;
    },
    /** Status of the answer to each message, by the message's id. */
    async outcomes(): Promise<Record<string, string>> {
      const { entries } = await client.listOutbox({ limit: 50 });
      const outcomes = entries.map(async ({ message_id: messageId, status }) => [
        await answeredMessage(gateway.deps.storage, { tenantId: "a", messageId }),
        status,
      ]);
      return Object.fromEntries(await Promise.all(outcomes));
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}
