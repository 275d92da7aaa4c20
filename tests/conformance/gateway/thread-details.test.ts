import { expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import type { OutboxRow } from "../../../src/channels/outbox/schema.ts";
import { gatewayAdminClient } from "../../../src/contracts/gateway/client.ts";
import { adminToken, processAll, startGateway } from "../../support/gateway.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

/** A gateway whose emulated account of tenant a is answered by `support`. */
async function startThread(engine: Parameters<typeof startGateway>[0]) {
  const gateway = await startGateway(engine);
  const client = gatewayAdminClient(
    { fetch: (request) => fetch(request), baseUrl: gateway.url },
    adminToken,
    "ana",
  );
  const account = await client.saveAccount({
    tenant_id: "a",
    channel: "phone_messenger",
    external_id: "PN1",
    credentials: { access_token: "EAAG-access-token-7890" },
    emulated: true,
  });
  await client.createBinding({
    tenant_id: "a",
    account_id: account.id,
    entry_agent: "support",
    config: { platform_api_key: "apk_test-key-0001" },
  });
  const write = async (texto: string, more: { desde?: string; responde_a?: string } = {}) => {
    await client.emulateInbound({ cuenta: "PN1", desde: "+34600111222", texto, ...more });
    await processAll(gateway);
  };
  /** Notes what the provider said of a message. */
  const said = (id: string, change: Partial<OutboxRow>) =>
    gateway.deps.storage.transact((tx) => {
      const { outbox } = gateway.deps.storage.tables;
      return tx
        .update(outbox)
        .set({ status: "sent", lane: null, channelMessageId: `wamid.${id}`, ...change })
        .where(and(eq(outbox.tenantId, "a"), eq(outbox.id, id)))
        .returning({ id: outbox.id });
    });
  const idOf = async (q: string) => (await client.listConversations({ q })).conversations[0]?.id ?? "";
  const thread = async (q = "600111222") => (await client.listMessages(await idOf(q))).messages;
  return { gateway, client, write, idOf, thread, said };
}

onEachEngine("the messages of a conversation", (engine) => {
  test("a reply names the message that it answers, ours or the user's; of an unknown one only its id", async () => {
    const { gateway, write, thread, said } = await startThread(engine);
    await using _ = gateway;
    await write("hola");
    await said((await thread())[1]?.id ?? "", {});
    const [first, answer] = await thread();
    await write("this one?", { responde_a: answer?.channel_message_id ?? "" });
    await write("or mine?", { responde_a: first?.channel_message_id ?? "" });
    await write("or that?", { responde_a: "wamid.unknown" });
    // The same id in another conversation is not theirs.
    await write("whose?", { desde: "+34600333444", responde_a: answer?.channel_message_id ?? "" });
    const replied = async (q?: string) =>
      (await thread(q)).flatMap(({ text, reply_to: to }) => (to === undefined ? [] : [[text, to]]));
    expect(await replied()).toEqual([
      [
        "this one?",
        { id: answer?.channel_message_id ?? "", direction: "outbound", kind: "text", text: "HOLA" },
      ],
      ["or mine?", { id: first?.channel_message_id ?? "", direction: "inbound", kind: "text", text: "hola" }],
      ["or that?", { id: "wamid.unknown" }],
    ]);
    expect(await replied("600333444")).toEqual([["whose?", { id: answer?.channel_message_id ?? "" }]]);
  });

  test("an undelivered message has its reason and makes its conversation found, until it is sent again", async () => {
    const { gateway, client, write, idOf, thread, said } = await startThread(engine);
    await using _ = gateway;
    await write("hola");
    await write("adios", { desde: "+34600333444" });
    const found = async (query: object) =>
      (await client.listConversations(query)).conversations.map(({ id }) => id);
    expect(await found({ undelivered: true })).toEqual([]);
    const [, answer] = await thread();
    expect(answer).toMatchObject({ source: "agent_reply" });
    expect(answer).not.toHaveProperty("error");
    // An error of an earlier try is overcome once the provider has the message.
    await said(answer?.id ?? "", { lastError: "429: wait" });
    expect((await thread())[1]).not.toHaveProperty("error");
    await said(answer?.id ?? "", { lastError: "131026: no", deliveryStatus: "failed" });
    expect((await thread())[1]).toMatchObject({ status: "failed", error: "131026: no" });
    const id = await idOf("600111222");
    expect(await found({ undelivered: true })).toEqual([id]);
    expect(await found({ undelivered: true, tenant: "a" })).toEqual([id]);
    expect(await found({ undelivered: true, tenant: "b" })).toEqual([]);
    expect(await found({ undelivered: false })).toEqual([await idOf("600333444")]);
    await client.retryMessage(answer?.id ?? "");
    expect(await found({ undelivered: true })).toEqual([]);
  });

  test("a file of ours has its name, and a reply of a person its source", async () => {
    const { gateway, client, write, idOf, thread } = await startThread(engine);
    await using _ = gateway;
    await write("hola");
    const { id: file } = await client.uploadMedia({
      bytes: new TextEncoder().encode("%PDF-1.7"),
      contentType: "application/pdf",
      filename: "offer.pdf",
      tenantId: "a",
    });
    const conversation_ref = await idOf("600111222");
    await client.send({ tenant_id: "a", conversation_ref, media: [{ id: file, caption: "Our offer" }] });
    const sent = (await thread()).at(-1);
    expect(sent).toMatchObject({
      text: "Our offer",
      source: "api",
      author: "ana",
      media: [{ kind: "document", id: file, mime_type: "application/pdf", file_name: "offer.pdf" }],
    });
  });

  test("the set-up names the largest file of each kind, and who takes templates", async () => {
    const { gateway, client } = await startThread(engine);
    await using _ = gateway;
    const { channels } = await client.setup();
    const mebibyte = 1024 * 1024;
    const of = (name: string) => channels.find(({ channel }) => channel === name);
    expect(of("phone_messenger")).toMatchObject({
      // What is larger can't be uploaded.
      media_bytes_max: { image: 5 * mebibyte, document: 25 * mebibyte },
      has_templates: true,
    });
    expect(of("bot_messenger")).toMatchObject({
      media_bytes_max: { image: 10 * mebibyte },
      has_templates: false,
    });
  });
});
