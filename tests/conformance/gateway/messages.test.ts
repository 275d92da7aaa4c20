import { describe, expect, test } from "bun:test";
import { gatewayClient, trustedSenderClient } from "../../../src/contracts/gateway/client.ts";
import { newId } from "../../../src/kit/id.ts";
import { beginConversation } from "../../../src/services/gateway/conversations/begin-conversation.ts";
import { noteIdentity } from "../../../src/services/gateway/identities/store.ts";
import {
  asA,
  asAdmin,
  asB,
  asSender,
  deliver,
  processAll,
  senderKey,
  sendKeyOfA,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

const text = { channel: "phone_messenger", recipient: "5215550001111", text: "Hello" };

const send = (gateway: TestGateway, body: object, headers: Record<string, string> = asA) =>
  gateway.call("POST", "/api/v1/messages/send", { headers, body });

/** Adds a conversation of tenant a, as inbound messages do. */
async function addConversation(
  { deps: { storage, clock } }: TestGateway,
  accountId: string,
): Promise<string> {
  const place = { tenantId: "a", channel: "phone_messenger" as const, accountId };
  const named = { addresses: ["5215550002222"] as const, name: "Ana" };
  const begun = await storage.transact((tx) =>
    beginConversation(tx, storage.tables, newId, place, named, clock.now()),
  );
  return begun.conversation.id;
}

onEachEngine("messages", (engine) => {
  test("are queued for the tenant of the key, and only it sees them", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    const queued = await send(gateway, text);
    expect(queued.status).toBe(202);
    expect(queued.body).toEqual({ message_id: expect.any(String), status: "pending" });
    const path = `/api/v1/messages/${queued.body.message_id}`;
    expect((await gateway.call("GET", path, { headers: asA })).body).toEqual({
      message_id: queued.body.message_id,
      status: "pending",
      attempts: 0,
      last_error: null,
    });
    const foreign = await gateway.call("GET", path, { headers: asB });
    const missing = await gateway.call("GET", `/api/v1/messages/${newId()}`, { headers: asA });
    expect([foreign.status, missing.status]).toEqual([404, 404]);
  });

  test("go from the oldest account or from the named one; an account that is not usable is 404", async () => {
    await using gateway = await startGateway(engine);
    const oldest = await gateway.account("a", "phone_messenger", "PN1");
    await gateway.clock.advance(1);
    const newer = await gateway.account("a", "phone_messenger", "PN2");
    const foreign = await gateway.account("b", "phone_messenger", "PN3");
    const echo = await gateway.account("a", "echo", "e1");
    await send(gateway, text);
    await send(gateway, { ...text, account_id: newer });
    const { entries } = (await gateway.call("GET", "/admin/outbox", { headers: asAdmin })).body;
    expect(entries.map((entry: { account_id: string }) => entry.account_id)).toEqual([newer, oldest]);
    const refused = await Promise.all([
      send(gateway, { ...text, account_id: foreign }),
      send(gateway, { ...text, account_id: newId() }),
      send(gateway, { ...text, account_id: echo }),
      send(gateway, { ...text, channel: "photo_social" }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const shape = (body: { error: string }) => body.error.replace(/[0-9a-f-]{36}/, "ID");
    expect(shape(refused[0].body)).toBe(shape(refused[1].body));
  });

  test("of a conversation replace channel and recipient, and appear in it; another tenant's conversation is 404", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "phone_messenger", "PN1");
    const id = await addConversation(gateway, account);
    await gateway.clock.advance(5_000);
    const queued = await send(gateway, {
      channel: "echo",
      recipient: "x",
      text: "Hello",
      conversation_ref: id,
    });
    expect(queued.status).toBe(202);
    const { entries } = (await gateway.call("GET", "/admin/outbox", { headers: asAdmin })).body;
    expect(entries[0]).toMatchObject({ channel: "phone_messenger", recipient: "5215550002222" });
    const direct = await send(gateway, { ...text, recipient: "5215550002222", text: "Again" });
    const messages = await gateway.call("GET", `/admin/conversations/${id}/messages`, { headers: asAdmin });
    expect(messages.body).toEqual({
      messages: [
        {
          id: queued.body.message_id,
          conversation_id: id,
          direction: "outbound",
          kind: "text",
          text: "Hello",
          media: [],
          channel_message_id: null,
          status: "pending",
          source: "api",
          at: "2026-03-10T12:00:05.000Z",
        },
        expect.objectContaining({ id: direct.body.message_id, text: "Again" }),
      ],
      limit: 50,
      offset: 0,
    });
    const list = await gateway.call("GET", "/admin/conversations?tenant=a&channel=phone_messenger", {
      headers: asAdmin,
    });
    expect(list.body).toMatchObject({
      conversations: [{ id, last_message_at: "2026-03-10T12:00:05.001Z", mode: "bot", contact_name: "Ana" }],
      total: 1,
    });
    expect((await send(gateway, { text: "x", conversation_ref: id }, asB)).status).toBe(404);
    expect((await send(gateway, { text: "x", conversation_ref: newId() })).status).toBe(404);
    const takeover = await gateway.call("POST", `/admin/conversations/${id}/takeover`, { headers: asAdmin });
    expect(takeover.body.mode).toBe("human");
  });

  test("reach the conversation with a phone number in any spelling, and keep other addresses; a blank one is 400", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "phone_messenger", "PN1");
    await gateway.account("a", "bot_messenger", "1");
    const id = await addConversation(gateway, account);
    for (const recipient of ["+5215550002222", "+52 1 (555) 000-2222", " 52.1555.000.2222\n"])
      expect((await send(gateway, { ...text, recipient })).status).toBe(202);
    const { messages } = (
      await gateway.call("GET", `/admin/conversations/${id}/messages`, { headers: asAdmin })
    ).body;
    expect(messages).toHaveLength(3);
    const others = [
      { recipient: "MX.13491208655302741918" },
      { recipient: " @shop_news ", channel: "bot_messenger" },
      { recipient: "-100 200", channel: "bot_messenger" },
    ];
    for (const other of others) expect((await send(gateway, { ...text, ...other })).status).toBe(202);
    const { entries } = (await gateway.call("GET", "/admin/outbox", { headers: asAdmin })).body;
    expect(entries.map((entry: { recipient: string }) => entry.recipient)).toEqual([
      "-100 200",
      "@shop_news",
      "MX.13491208655302741918",
      ...Array(3).fill("5215550002222"),
    ]);
    for (const channel of ["phone_messenger", "bot_messenger"]) {
      const blank = await send(gateway, { ...text, channel, recipient: " \t" });
      expect(blank).toMatchObject({ status: 400, body: { error: "recipient must not be blank." } });
    }
  });

  test("under one Idempotency-Key are queued once, each tenant for itself; another text under it is 409", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    await gateway.account("b", "phone_messenger", "PN2");
    const headers = { ...asA, "idempotency-key": "order-17" };
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(gateway, text, headers)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
    expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(1);
    expect((await send(gateway, { ...text, text: "Other" }, headers)).status).toBe(409);
    const other = await send(gateway, text, { ...asB, "idempotency-key": "order-17" });
    expect(other.body.message_id).not.toBe(answers[0]?.body.message_id);
  });

  test("of a trusted sender and of an operator name their tenant; an unknown tenant is 404, a tenant's key 401", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    const onBehalf = (tenant_id: string, headers: Record<string, string> = asSender) =>
      gateway.call("POST", "/api/v1/messages/send-on-behalf", { headers, body: { tenant_id, ...text } });
    expect((await onBehalf("a")).status).toBe(202);
    expect((await onBehalf("unknown")).status).toBe(404);
    expect((await onBehalf("a", asA)).status).toBe(401);
    const adminSend = (body: object) => gateway.call("POST", "/admin/send", { headers: asAdmin, body });
    expect((await adminSend({ tenant_id: "a", ...text })).status).toBe(202);
    expect((await adminSend({ tenant_id: "a", ...text, account_id: "x" })).status).toBe(400);
    const second = await gateway.account("a", "phone_messenger", "PN2");
    const chosen = (id: string) =>
      gateway.call("POST", `/admin/send?account_id=${id}`, {
        headers: asAdmin,
        body: { tenant_id: "a", ...text },
      });
    expect((await chosen("x")).status).toBe(404);
    expect((await chosen(second)).status).toBe(202);
    const newest = (await gateway.call("GET", "/admin/outbox?limit=1", { headers: asAdmin })).body;
    expect(newest.entries[0].account_id).toBe(second);
    const { entries } = (await gateway.call("GET", "/admin/outbox", { headers: asAdmin })).body;
    const sources = entries.map(({ source }: { source: string }) => source);
    expect(sources).toEqual(["api", "api", "platform_proactive"]);
  });

  test("are listed newest first, in pages and by filters; an unknown filter value is 400", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    await gateway.account("b", "echo", "e1");
    const made: string[] = [];
    for (let number = 0; number < 5; number++)
      made.push((await send(gateway, { ...text, text: `${number}` })).body.message_id);
    await send(gateway, { ...text, channel: "echo" }, asB);
    const list = async (query: string) =>
      (await gateway.call("GET", `/admin/outbox?${query}`, { headers: asAdmin })).body;
    const ids = ({ entries }: { entries: { message_id: string }[] }) =>
      entries.map((entry) => entry.message_id);
    expect(ids(await list("tenant=a"))).toEqual(made.toReversed());
    expect(await list("tenant=a&limit=2&offset=1")).toMatchObject({ total: 5, limit: 2, offset: 1 });
    expect(ids(await list("tenant=a&limit=2&offset=1"))).toEqual(made.toReversed().slice(1, 3));
    expect(await list("limit=5000")).toMatchObject({ total: 6, limit: 200 });
    expect((await list("channel=echo")).total).toBe(1);
    expect((await list("status=failed")).total).toBe(0);
    for (const bad of ["limit=0", "limit=x", "offset=-1", "offset=x", "status=lost", "channel=sms"]) {
      const answer = await gateway.call("GET", `/admin/outbox?${bad}`, { headers: asAdmin });
      expect({ bad, status: answer.status }).toEqual({ bad, status: 400 });
    }
    const stats = await gateway.call("GET", "/admin/stats?days=2", { headers: asAdmin });
    expect(stats.body).toEqual({
      messages_per_day: [
        { date: "2026-03-09", inbound: 0, outbound: 0 },
        { date: "2026-03-10", inbound: 0, outbound: 6 },
      ],
      messages_by_channel: { echo: 1, phone_messenger: 5 },
      active_conversations: 2,
      outbox_by_status: { pending: 6 },
      undelivered: 0,
    });
    const year = await gateway.call("GET", "/admin/stats?days=365&tenant=b", { headers: asAdmin });
    expect(year.body.messages_per_day).toHaveLength(90);
    expect(year.body.outbox_by_status).toEqual({ pending: 1 });
  });

  test("that are forwarded to a callback count once in the figures, as the user's", async () => {
    await using gateway = await startGateway(engine);
    const accountId = await gateway.account("a", "echo", "e1");
    const config = { callback_url: "https://shop.example/in" };
    const binding = { tenant_id: "a", account_id: accountId, config };
    await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body: binding });
    for (const id of ["m1", "m2"])
      await deliver(gateway, "echo", { from: "ana", text: "hi", id }, { account: "e1", headers: {} });
    await processAll(gateway);
    expect((await send(gateway, { channel: "echo", recipient: "ana", text: "hello" })).status).toBe(202);
    const { body } = await gateway.call("GET", "/admin/stats?days=1&tenant=a", { headers: asAdmin });
    expect(body).toEqual({
      messages_per_day: [{ date: "2026-03-10", inbound: 2, outbound: 1 }],
      messages_by_channel: { echo: 3 },
      active_conversations: 1,
      // The outbox lists what waits for a callback too.
      outbox_by_status: { pending: 3 },
      undelivered: 0,
    });
  });

  test("identities resolve to one address, to none, or to a conflict, which is 409", async () => {
    await using gateway = await startGateway(engine);
    const { storage, clock } = gateway.deps;
    const note = (phone: string, externalUser: string, tenantId = "a") =>
      storage.transact((tx) =>
        noteIdentity(tx, storage.tables, {
          tenantId,
          channel: "bot_messenger",
          phone,
          externalUser,
          verifiedAt: clock.now(),
        }),
      );
    await note("+5215550001111", "77");
    await note("+5215550001111", "77");
    await note("+5215550002222", "78");
    await note("+5215550002222", "79");
    const resolve = (query: string) =>
      gateway.call("GET", `/api/v1/identities/resolve?${query}`, { headers: asSender });
    const of = (phone: string, tenant = "a") =>
      resolve(new URLSearchParams({ tenant_id: tenant, channel: "bot_messenger", phone }).toString());
    expect(await of("+5215550001111")).toMatchObject({ status: 200, body: { external_user: "77" } });
    expect(await of("+5215550001111", "b")).toMatchObject({ status: 200, body: { external_user: null } });
    expect(await of("+5215550002222")).toMatchObject({ status: 409, body: { error: expect.any(String) } });
    const raw = await resolve("tenant_id=a&channel=bot_messenger&phone=+5215550001111");
    expect(raw).toMatchObject({ status: 200, body: { external_user: null } });
    for (const part of ["tenant_id=a&channel=echo", "tenant_id=a&phone=1", "channel=echo&phone=1"]) {
      expect((await resolve(part)).status).toBe(400);
    }
  });
});

describe("a message is refused with 400", () => {
  const refused: [body: object | string, part: string][] = [
    [{ channel: "echo", recipient: "1" }, "empty"],
    [{ channel: "echo", recipient: "1", text: "  " }, "empty"],
    [{ channel: "echo", recipient: "1", media: [] }, "empty"],
    [{ recipient: "1", text: "x" }, "channel is required"],
    [{ channel: "echo", text: "x" }, "recipient is required"],
    [{ channel: "sms", recipient: "1", text: "x" }, "must be one of"],
    [{ ...text, template: { name: "n" } }, "language"],
    [{ ...text, template: { language: "es" } }, "name"],
    [{ ...text, template: { name: " ", language: " " } }, "template.name"],
    [{ ...text, template: { name: "n", language: "\t" } }, "template.language"],
    [{ channel: "echo", recipient: "1", template: { name: "n", language: "es" } }, "phone_messenger only"],
    [{ ...text, media: [{ kind: "gif", url: "https://x.example/a" }] }, "kind"],
    [{ ...text, media: [{ kind: "image", url: "file:///etc/passwd" }] }, "media[0].url"],
    [{ ...text, media: [{ kind: "image", url: "https://u:p@x.example/a" }] }, "credentials"],
    ...[
      "localhost",
      "127.0.0.1",
      "0x7f.1",
      "10.1.2.3",
      "169.254.169.254",
      "[::1]",
      "[fd00::1]",
      "nas.local",
      "nas.",
    ].map((host): [object, string] => [
      { ...text, media: [{ kind: "image", url: `http://${host}/a` }] },
      "media[0].url must be public",
    ]),
    [{ ...text, text: "x".repeat(4097) }, "4096"],
    [{ ...text, tenant_id: "b" }, "tenant_id"],
    ['{"channel":"echo","recipient":"1","text":"a\\u0000b"}', ""],
    ["{", ""],
  ];
  test.each(refused)("%j", async (body, part) => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "phone_messenger", "PN1");
    await gateway.account("a", "echo", "e1");
    const answer = await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: expect.stringContaining(part) });
    expect((await gateway.call("GET", "/admin/outbox", { headers: asAdmin })).body.total).toBe(0);
  });

  test("a text on photo_social counts by bytes: more than 1,000 are 400", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "photo_social", "IG1");
    const body = (length: number) => ({ channel: "photo_social", recipient: "1", text: "ñ".repeat(length) });
    expect((await send(gateway, body(500))).status).toBe(202);
    expect((await send(gateway, body(501))).status).toBe(400);
  });

  test("a caption on photo_social, which is sent as a text, counts by bytes: more than 1,000 are 400", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "photo_social", "IG1");
    await gateway.account("a", "phone_messenger", "PN1");
    const body = (channel: string, length: number) => ({
      channel,
      recipient: "1",
      media: [{ kind: "image", url: "https://x.example/a.png", caption: "ñ".repeat(length) }],
    });
    expect((await send(gateway, body("photo_social", 500))).status).toBe(202);
    expect(await send(gateway, body("photo_social", 600))).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("media[0].caption must be at most 1000 bytes") },
    });
    expect((await send(gateway, body("phone_messenger", 600))).status).toBe(202);
  });
});

test("an operator retries a failed message; another message is 409, an unknown one 404", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const account = await gateway.account("a", "phone_messenger", "PN1");
  const { body } = await send(gateway, text);
  const retry = () => gateway.call("POST", `/admin/outbox/${body.message_id}/retry`, { headers: asAdmin });
  expect((await retry()).status).toBe(409);
  await gateway.call("DELETE", `/admin/accounts/${account}`, { headers: asAdmin });
  expect(await retry()).toMatchObject({ status: 200, body: { status: "pending", last_error: null } });
  expect((await gateway.call("POST", "/admin/outbox/none/retry", { headers: asAdmin })).status).toBe(404);
});

test("a storage that fails is 500", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "phone_messenger", "PN1");
  await gateway.deps.storage.close();
  expect(await send(gateway, text)).toMatchObject({ status: 500, body: { error: expect.any(String) } });
});

test("the clients send, ask and show the gateway's own words", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "phone_messenger", "PN1");
  const address = { baseUrl: gateway.url, fetch: (request: Request) => fetch(request) };
  const tenant = gatewayClient(address, sendKeyOfA);
  const input = { ...text, channel: "phone_messenger" as const };
  const queued = await tenant.send(input, { idempotencyKey: "k1" });
  expect(await tenant.send(input, { idempotencyKey: "k1" })).toEqual(queued);
  expect(await tenant.getMessage(queued.message_id)).toMatchObject({ status: "pending" });
  expect(tenant.send({ ...input, text: "" })).rejects.toThrow("The message is empty");
  const trusted = trustedSenderClient(address, senderKey);
  expect((await trusted.sendOnBehalf({ tenant_id: "a", ...input })).status).toBe("pending");
  const who = { tenant_id: "a", channel: "bot_messenger" as const, phone: "+521" };
  expect(await trusted.resolveIdentity(who)).toEqual({ external_user: null });
  expect(gatewayClient(address, "wrong").getMessage("x")).rejects.toMatchObject({ kind: "unauthorized" });
});
