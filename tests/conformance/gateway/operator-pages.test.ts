import { expect, test } from "bun:test";
import { gatewayAdminClient } from "../../../src/contracts/gateway/client.ts";
import type { GatewayEvent } from "../../../src/contracts/gateway/events.ts";
import { endOfTurn } from "../../../src/kit/concurrency/others-turn.ts";
import {
  adminToken,
  asAdmin,
  deliver,
  processAll,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const clientOf = ({ url }: TestGateway) =>
  gatewayAdminClient({ fetch: (request) => fetch(request), baseUrl: url }, adminToken);

/** A gateway with an emulated account of tenant a, which the agent `support` answers. */
async function startEmulated(engine: Parameters<typeof startGateway>[0]) {
  const gateway = await startGateway(engine);
  const client = clientOf(gateway);
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
  const write = (desde: string, texto: string, more: object = {}) =>
    client.emulateInbound({ cuenta: "PN1", desde, texto, ...more });
  return { gateway, client, account, write };
}

onEachEngine("what operators' pages read", (engine) => {
  test("accounts of all tenants with their bindings, paused and resumed; without a credential 401", async () => {
    const { gateway, client, account } = await startEmulated(engine);
    await using _ = gateway;
    const other = await gateway.account("b", "echo", "e1");
    const { entries, total } = await client.directory();
    expect(total).toBe(2);
    expect(new Map(entries.map((entry) => [entry.account.id, entry.binding?.entry_agent ?? null]))).toEqual(
      new Map([
        [account.id, "support"],
        [other, null],
      ]),
    );
    expect(JSON.stringify(entries)).not.toContain("access-token");
    expect((await client.directory({ tenant: "b" })).entries.map((entry) => entry.account.id)).toEqual([
      other,
    ]);
    expect((await client.directoryEntry(account.id)).binding?.config.platform_api_key).toBe("•••0001");
    expect(await client.pauseAccount(account.id)).toMatchObject({
      status: "paused",
      paused_reason: "paused by an operator",
    });
    expect((await client.resumeAccount(account.id)).status).toBe("active");
    for (const path of ["/admin/directory/none", "/admin/accounts/none/webhook"]) {
      expect((await gateway.call("GET", path, { headers: asAdmin })).status).toBe(404);
      expect((await gateway.call("GET", path)).status).toBe(401);
    }
    expect((await gateway.call("POST", "/admin/accounts/none/pause", { headers: asAdmin })).status).toBe(404);
  });

  test("the address and token for a provider: the app's, or those of an account with its own app", async () => {
    await using gateway = await startGateway(engine, (deps) => ({
      ...deps,
      publicBaseUrl: "https://chat.example.com",
    }));
    const client = clientOf(gateway);
    const shared = await gateway.account("a", "phone_messenger", "PN1");
    const own = await client.saveAccount({
      tenant_id: "a",
      channel: "phone_messenger",
      external_id: "PN2",
      credentials: {
        access_token: "EAAG-access-token-7890",
        app_secret: "secret-of-an-app-of-its-own-with-32-bytes",
        verify_token: "own-token",
      },
    });
    expect(await client.accountWebhook(shared)).toEqual({
      path: "/webhooks/phone_messenger",
      url: "https://chat.example.com/webhooks/phone_messenger",
      accepts: true,
      verify_token: "verify-me",
    });
    expect(await client.accountWebhook(own.id)).toMatchObject({
      path: "/webhooks/phone_messenger/PN2",
      verify_token: "own-token",
    });
  });

  test("conversations by reader, name and who answers, with their last message", async () => {
    const { gateway, client, write } = await startEmulated(engine);
    await using _ = gateway;
    await write("521555", "Hello", { nombre: "Ana_100%" });
    await write("521666", "Good day", { nombre: "Ben" });
    await processAll(gateway);
    const list = async (query = {}) =>
      (await client.listConversations(query)).conversations.map(({ external_user }) => external_user).sort();
    expect(await list({ unread: true })).toEqual(["521555", "521666"]);
    const ana = (await client.listConversations({ q: "ana_100%" })).conversations[0];
    expect(ana).toMatchObject({
      contact_name: "Ana_100%",
      unread: 1,
      last_message: { direction: "outbound", kind: "text", text: "HELLO" },
    });
    // The characters of a pattern are characters.
    expect(await list({ q: "%" })).toEqual(["521555"]);
    expect(await list({ q: "1666" })).toEqual(["521666"]);
    expect(await list({ q: "+52 1-66" })).toEqual(["521666"]);
    await write("521777", "Hola", { nombre: "Ángel Ñandú" });
    await processAll(gateway);
    for (const q of ["Ángel", "ÁNGEL", "ángel", "ñandú", "Ñan", "ngel"])
      expect([q, await list({ q })]).toEqual([q, ["521777"]]);
    expect((await client.listConversations({ q: "ÁNGEL" })).total).toBe(1);
    await client.markSeen((await client.listConversations({ q: "ñandú" })).conversations[0]?.id ?? "");
    expect((await gateway.call("GET", "/admin/conversations?q=%00", { headers: asAdmin })).status).toBe(400);
    await client.markSeen(ana?.id ?? "");
    expect(await list({ unread: true })).toEqual(["521666"]);
    expect(await list({ unread: false })).toEqual(["521555", "521777"]);
    await client.takeOver(ana?.id ?? "");
    expect(await list({ mode: "human" })).toEqual(["521555"]);
    await write("521555", "Are you there?");
    await processAll(gateway);
    expect((await client.listConversations({ q: "521555" })).conversations[0]?.unread).toBe(1);
    const newest = await client.listMessages(ana?.id ?? "", { order: "newest", limit: 1 });
    expect(newest.messages[0]?.text).toBe("Are you there?");
    expect(
      (await gateway.call("GET", "/admin/conversations?unread=maybe", { headers: asAdmin })).status,
    ).toBe(400);
    expect((await gateway.call("POST", "/admin/conversations/none/seen", { headers: asAdmin })).status).toBe(
      404,
    );
  });

  test("a name in any case of its letters, and its signs as signs", async () => {
    const { gateway, client, write } = await startEmulated(engine);
    await using _ = gateway;
    const signs = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    const names = ["Ángel Ñandú", "MUÑOZ Peña", "Σίσυφος", "İpek", "Straße", "漢字 🦆", signs];
    for (const [index, nombre] of names.entries()) await write(`52155${index}`, "Hola", { nombre });
    await processAll(gateway);
    const found = async (q: string) =>
      (await client.listConversations({ q })).conversations.map(({ contact_name }) => contact_name);
    for (const q of ["Ángel", "ÁNGEL", "ángel", "áNGel ñ", "ngel", "ñandú", "ÑANDÚ"])
      expect([q, await found(q)]).toEqual([q, ["Ángel Ñandú"]]);
    for (const q of ["muñoz peña", "MUÑOZ PEÑA", "Muñoz peÑa"])
      expect([q, await found(q)]).toEqual([q, ["MUÑOZ Peña"]]);
    for (const q of ["ΣΊΣΥΦΟΣ", "σίσυφος"]) expect(await found(q)).toEqual(["Σίσυφος"]);
    expect([await found("İPEK"), await found("STRAßE")]).toEqual([["İpek"], ["Straße"]]);
    expect(await found("字 🦆")).toEqual(["漢字 🦆"]);
    // Accents are no part of a letter for who searches.
    expect([await found("angel"), await found("Munoz")]).toEqual([["Ángel Ñandú"], ["MUÑOZ Peña"]]);
    expect(await found("Ú")).toEqual(["MUÑOZ Peña", "Ángel Ñandú"]);
    for (const q of [...signs].filter((sign) => sign !== "+"))
      expect([q, await found(q)]).toEqual([q, [signs]]);
    for (const q of ["^Á", "Ñ.ndú", "[Á]", "***=Á", "(?i)ngel", "Á?gel", "\\w", "n%l"])
      expect([q, await found(q)]).toEqual([q, []]);
  });

  test("changes as they happen, those of one tenant if it is named", async () => {
    const { gateway, client, write } = await startEmulated(engine);
    await using _ = gateway;
    const over = new AbortController();
    const follow = async (tenant: string, until: (event: GatewayEvent) => boolean) => {
      const seen: string[] = [];
      for await (const event of client.events({ tenant }, over.signal)) {
        seen.push(`${event.about} ${event.change}`);
        if (event.about === "stream") opened.get(tenant)?.resolve();
        if (until(event)) break;
      }
      return seen;
    };
    const opened = new Map(["a", "b"].map((tenant) => [tenant, Promise.withResolvers<void>()]));
    const ofA = follow("a", ({ change }) => change === "mode");
    const ofB = follow("b", ({ change }) => change === "saved");
    await Promise.all([...opened.values()].map(({ promise }) => promise));
    const { channel_message_id: id } = await write("521555", "Hello");
    await write("521555", "Hello", { channel_message_id: id });
    await processAll(gateway);
    const [conversation] = (await client.listConversations()).conversations;
    await client.takeOver(conversation?.id ?? "");
    await gateway.call("POST", "/admin/accounts", {
      headers: asAdmin,
      body: { tenant_id: "b", channel: "echo", external_id: "e1" },
    });
    expect(await ofA).toEqual([
      "stream open",
      "inbound received",
      "inbound duplicate",
      "conversation message",
      "inbound running",
      "inbound closed",
      "outbound queued",
      "conversation message",
      // The answer has not been sent yet.
      "outbound failed",
      "conversation mode",
    ]);
    expect(await ofB).toEqual(["stream open", "account saved"]);
    // The server learns of a reader's end after the reader.
    while (gateway.deps.feed.readers > 0) await endOfTurn();
    expect(gateway.deps.feed.readers).toBe(0);
    over.abort();
  });
});

onEachEngine("the trail of a delivered message", (engine) => {
  test("leads from the delivery over the run to the answer and its receipt", async () => {
    const { gateway, client, write } = await startEmulated(engine);
    await using _ = gateway;
    const { channel_message_id: id } = await write("521555", "Hello");
    await write("521555", "Hello", { channel_message_id: id });
    await processAll(gateway);
    const { messages } = await client.trail(id);
    const inbound = messages.find(({ direction }) => direction === "inbound");
    const answer = messages.find(({ direction }) => direction === "outbound");
    expect(inbound).toMatchObject({ channel_message_id: id, address: "521555" });
    expect(inbound?.events.map(({ event }) => event).sort()).toEqual([
      "answered",
      "closed",
      "duplicate",
      "queued",
      "received",
      "run",
    ]);
    expect(inbound?.events.find(({ event }) => event === "answered")?.related_id).toBe(
      answer?.message_id ?? "",
    );
    expect(inbound?.events.find(({ event }) => event === "run")?.details).toMatchObject({ status: "ok" });
    expect(inbound?.events.find(({ event }) => event === "closed")?.details).toEqual({ outcome: "answered" });
    // The address and either id name the same two.
    for (const name of ["521555", answer?.message_id ?? "", inbound?.message_id ?? ""]) {
      expect((await client.trail(name)).messages).toHaveLength(2);
    }
    expect(
      (await gateway.call("GET", `/admin/messages/${id}/trail?tenant=b`, { headers: asAdmin })).status,
    ).toBe(404);
  });

  test("says why no agent answered", async () => {
    await using gateway = await startGateway(engine);
    const client = clientOf(gateway);
    await gateway.account("a", "echo", "e1");
    const body = { from: "ana", text: "Hello", id: "m1" };
    expect((await deliver(gateway, "echo", body, { account: "e1", headers: {} })).status).toBe(200);
    await processAll(gateway);
    const { messages } = await client.trail("m1");
    expect(messages[0]?.events.at(-1)).toMatchObject({ event: "closed", details: { outcome: "unbound" } });
  });
});

onEachEngine("an emulated provider", (engine) => {
  test("delivers twice, out of order and with files; a malformed report is 400", async () => {
    const { gateway, client, write } = await startEmulated(engine);
    await using _ = gateway;
    await write("521555", "second", { enviado: "2026-03-10T11:59:59.000Z" });
    await write("+52 1 555", "first", { enviado: "2026-03-10T11:59:50.000Z" });
    await write("521555", "third", {
      media: [{ kind: "image", mime_type: "image/jpeg", file_name: "a.jpg" }],
    });
    await processAll(gateway);
    expect(gateway.platform.runs.map(({ request }) => request.query)).toEqual([
      "first",
      "second",
      "third\n[image: a.jpg]",
    ]);
    for (const more of [
      { enviado: "yesterday" },
      { channel_message_id: "a b" },
      { desde: "  " },
      { media: [{ kind: "virus" }] },
      { media: [{ kind: "image", url: "https://x.example" }] },
    ]) {
      const refused = await gateway.call("POST", "/admin/emulator/inbound", {
        headers: asAdmin,
        body: { cuenta: "PN1", desde: "521555", texto: "x", ...more },
      });
      expect(refused.status).toBe(400);
    }
    const receipt = { cuenta: "PN1", channel_message_id: "unknown", estado: "read" };
    const report = (body: object) =>
      gateway.call("POST", "/admin/emulator/receipts", { headers: asAdmin, body });
    expect((await report(receipt)).status).toBe(202);
    expect((await report({ ...receipt, estado: "lost" })).status).toBe(400);
    expect((await report({ ...receipt, cuenta: "PN9" })).status).toBe(404);
    expect((await client.listConversations()).total).toBe(1);
  });
});
