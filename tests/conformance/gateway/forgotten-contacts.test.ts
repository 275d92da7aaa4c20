import { expect, test } from "bun:test";
import { gatewayAdminClient } from "../../../src/contracts/gateway/client.ts";
import { sweepForgettings } from "../../../src/services/gateway/contacts/finish-forgetting.ts";
import { fetchFiles } from "../../../src/services/gateway/media/fetch-files.ts";
import {
  adminToken,
  answered,
  asAdmin,
  deliver,
  processAll,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { deliveryOf, textMessage } from "../../support/message-provider.ts";
import { onEachEngine, type TestEngine } from "../../support/storage-engines.ts";

const phone = "5215550002222";
const bsuid = "MX.666";
const other = "5215550009999";

async function startBound(engine: TestEngine) {
  const gateway = await startGateway(engine, undefined, "2025-10-09T08:53:30.000Z");
  const accountId = await gateway.account("a", "phone_messenger", "PNID1");
  const config = { platform_api_key: "apk_test-key-0001" };
  const body = { tenant_id: "a", account_id: accountId, entry_agent: "support", config };
  const { status, text } = await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body });
  if (status !== 201) throw new Error(text);
  const client = gatewayAdminClient(
    { fetch: (request) => fetch(request), baseUrl: gateway.url },
    adminToken,
    "ana",
  );
  const zoraida = { profile: { name: "Zoraida" }, wa_id: phone, user_id: bsuid };
  const receive = async (message: object, contact: object = zoraida) => {
    const contacts = [contact];
    const delivery = deliveryOf([message], { contacts });
    expect((await deliver(gateway, "phone_messenger", delivery)).status).toBe(200);
    await processAll(gateway);
  };
  return { gateway, client, accountId, receive };
}

const contactNamed = async (client: ReturnType<typeof gatewayAdminClient>, q: string) => {
  const [contact] = (await client.listContacts({ q })).contacts;
  if (contact === undefined) throw new Error(`There is no contact ${q}.`);
  return contact;
};

/** All rows of all tables, as text. */
async function everything({ deps: { storage } }: TestGateway): Promise<string> {
  const rows = await Promise.all(
    Object.entries(storage.tables).map(async ([name, table]) => {
      return `${name}: ${JSON.stringify(await storage.read.select().from(table as never))}`;
    }),
  );
  return rows.join("\n");
}

const leftOf = (text: string, words: readonly string[]) => words.filter((word) => text.includes(word));

onEachEngine("a contact that is forgotten", (engine) => {
  test("leaves no text, name, address, file, note or word in any table; another contact keeps all", async () => {
    const { gateway, client, receive } = await startBound(engine);
    await using _ = gateway;
    gateway.files.set("m1", { bytes: Buffer.from("%PDF-1.7 zebra"), mimeType: "application/pdf" });
    await receive(textMessage("wamid.1", "my code is zxqwv"));
    const document = { id: "m1", mime_type: "application/pdf", filename: "zebra.pdf" };
    await receive({
      id: "wamid.2",
      from: phone,
      from_user_id: bsuid,
      timestamp: "1760000001",
      type: "document",
      document,
    });
    await fetchFiles(gateway.deps, new AbortController().signal);
    await receive(textMessage("wamid.9", "hello from elsewhere", { from: other }), {
      profile: { name: "Bea" },
      wa_id: other,
    });
    const contact = await contactNamed(client, "zoraida");
    const [conversation = ""] = contact.conversations;
    await client.addNote(conversation, "likes zinnias");
    await client.setLabels(conversation, ["zeta"]);
    await client.markSeen(conversation);
    await client.send({ tenant_id: "a", conversation_ref: conversation, text: "the zither waits" });
    const status = {
      id: "wamid.out",
      status: "delivered",
      timestamp: "1760000002",
      recipient_id: phone,
      recipient_user_id: bsuid,
    };
    await deliver(gateway, "phone_messenger", deliveryOf([], { statuses: [status] }));
    await processAll(gateway);
    const words = ["zxqwv", "ZXQWV", "zebra", "Zoraida", "zinnias", "zeta", "zither", phone, bsuid];
    expect(leftOf(await everything(gateway), words)).toEqual(words);
    const before = (await client.getConversation(conversation)).session_id;

    expect(await client.forgetContact(contact.id)).toEqual({
      deleted: true,
      conversations: 1,
      pending: false,
    });
    expect(leftOf(await everything(gateway), words)).toEqual([]);
    expect(gateway.sessions.orders).toEqual([{ apiKey: "apk_test-key-0001", sessionId: before }]);
    for (const path of [`contacts/${contact.id}`, `conversations/${conversation}`])
      expect((await gateway.call("GET", `/admin/${path}`, { headers: asAdmin })).status).toBe(404);
    expect((await client.listConversations()).conversations).toMatchObject([{ external_user: other }]);
    expect((await client.listConversations({ q: "elsewhere" })).total).toBe(1);
    expect(await everything(gateway)).toContain("HELLO FROM ELSEWHERE");
  });

  test("is a new one when they write again, and their agent begins anew once its memory is forgotten", async () => {
    const { gateway, client, receive } = await startBound(engine);
    await using _ = gateway;
    await receive(textMessage("wamid.1", "first"));
    const contact = await contactNamed(client, "zoraida");
    gateway.sessions.answers.push("later");
    expect((await client.forgetContact(contact.id)).pending).toBe(true);
    await receive(textMessage("wamid.2", "again"));
    expect(gateway.platform.runs).toHaveLength(1);
    await gateway.clock.advance(120_000);
    await sweepForgettings(gateway.deps, new AbortController().signal);
    await processAll(gateway);
    expect(gateway.platform.runs).toHaveLength(2);
    expect(gateway.platform.runs[1]?.request.context).toMatchObject({ is_new_conversation: true });
    expect(gateway.platform.runs[1]?.request.turns).toBeUndefined();
    expect((await contactNamed(client, "zoraida")).id).not.toBe(contact.id);
    expect((await client.listConversations()).total).toBe(1);
    const { forgettings, forgottenSessions } = gateway.deps.storage.tables;
    const { read } = gateway.deps.storage;
    expect([await read.$count(forgettings), await read.$count(forgottenSessions)]).toEqual([0, 0]);
  });

  test("is forgotten by the sweep if the process died in the middle, and a second call is not an error", async () => {
    const { gateway, client, receive } = await startBound(engine);
    await using _ = gateway;
    await receive(textMessage("wamid.1", "my code is zxqwv"));
    const contact = await contactNamed(client, "zoraida");
    const { forget } = gateway.sessions;
    gateway.sessions.forget = async () => {
      throw new Error("The process dies here.");
    };
    expect((await client.forgetContact(contact.id)).pending).toBe(true);
    gateway.sessions.forget = forget;
    expect((await client.forgetContact(contact.id)).pending).toBe(false);
    expect((await gateway.call("DELETE", `/admin/contacts/${contact.id}`, { headers: asAdmin })).status).toBe(
      404,
    );
    expect(leftOf(await everything(gateway), ["zxqwv", phone])).toEqual([]);
  });

  test("gets no answer of a run that goes on meanwhile, and leaves nothing of it", async () => {
    const { gateway, client, receive } = await startBound(engine);
    await using _ = gateway;
    await receive(textMessage("wamid.1", "first"));
    const contact = await contactNamed(client, "zoraida");
    gateway.platform.answers = async ({ request }) => {
      if (request.query === "second") await client.forgetContact(contact.id);
      return answered("the zither waits");
    };
    await receive(textMessage("wamid.2", "second"));
    expect(leftOf(await everything(gateway), ["zither", "second", phone])).toEqual([]);
    expect((await client.listConversations()).total).toBe(0);
  });

  test("is found by part of its name and by its number in any spelling, within its tenant", async () => {
    const { gateway, client, receive } = await startBound(engine);
    await using _ = gateway;
    await receive(textMessage("wamid.1", "hello"));
    for (const q of ["zorai", "+52 1 555 000-2222", "0052 1 555 000 2222", "0002222", bsuid])
      expect([q, (await client.listContacts({ q })).total]).toEqual([q, 1]);
    expect((await client.listContacts({ q: "nobody" })).contacts).toEqual([]);
    expect((await client.listContacts({ tenant: "b" })).total).toBe(0);
    const contact = await contactNamed(client, "zorai");
    expect(contact.addresses.map(({ kind, value }) => [kind, value]).sort()).toEqual([
      ["bsuid", bsuid],
      ["phone", phone],
    ]);
  });
});
