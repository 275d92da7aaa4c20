import { describe, expect, test } from "bun:test";
import { asA, asAdmin, credentialsOf, deliver, processAll, startGateway } from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

const phone = {
  tenant_id: "a",
  channel: "phone_messenger",
  external_id: "PN1",
  credentials: { access_token: "EAAG-access-token-7890" },
};

onEachEngine("accounts", (engine) => {
  test("are created once, refreshed, listed masked and deleted with their binding and messages", async () => {
    await using gateway = await startGateway(engine);
    const save = (body: object) => gateway.call("POST", "/admin/accounts", { headers: asAdmin, body });
    const created = await save(phone);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      tenant_id: "a",
      channel: "phone_messenger",
      external_id: "PN1",
      credentials: { access_token: "•••7890" },
      emulated: false,
      status: "active",
      paused_reason: null,
      created_at: "2026-03-10T12:00:00.000Z",
    });
    const refreshed = await save({
      ...phone,
      credentials: { access_token: "another-token-4321" },
      emulated: true,
    });
    expect(refreshed.status).toBe(200);
    expect(refreshed.body).toEqual({
      ...created.body,
      credentials: { access_token: "•••4321" },
      emulated: true,
    });
    expect((await save({ ...phone, tenant_id: "b" })).status).toBe(409);
    const list = async (tenant: string) =>
      (await gateway.call("GET", `/admin/accounts?tenant_id=${tenant}`, { headers: asAdmin })).body;
    expect(await list("a")).toEqual({ accounts: [refreshed.body] });
    expect(await list("b")).toEqual({ accounts: [] });

    const send = { channel: "phone_messenger", recipient: "1", text: "x" };
    const queued = await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body: send });
    const binding = {
      tenant_id: "a",
      account_id: created.body.id,
      entry_agent: "support",
      config: { platform_api_key: "apk_12345678" },
    };
    expect((await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body: binding })).status).toBe(
      201,
    );
    const remove = () => gateway.call("DELETE", `/admin/accounts/${created.body.id}`, { headers: asAdmin });
    expect(await remove()).toMatchObject({ status: 200, body: { deleted: true } });
    expect(await remove()).toMatchObject({
      status: 404,
      body: { error: `There is no account ${created.body.id}.` },
    });
    expect(await list("a")).toEqual({ accounts: [] });
    const bindings = await gateway.call("GET", "/admin/bindings?tenant_id=a", { headers: asAdmin });
    expect(bindings.body).toEqual({ bindings: [] });
    const outcome = await gateway.call("GET", `/api/v1/messages/${queued.body.message_id}`, { headers: asA });
    expect(outcome.body).toMatchObject({ status: "failed", last_error: "account_deleted" });
  });

  test("take the messages for their callback and in their trail along when they are deleted", async () => {
    await using gateway = await startGateway(engine);
    const account_id = await gateway.account("a", "echo", "e1");
    const kept = await gateway.account("a", "echo", "e2");
    const config = { callback_url: "https://shop.example.com/messages" };
    for (const one of [account_id, kept]) {
      const body = { tenant_id: "a", account_id: one, config };
      await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body });
    }
    for (const account of ["e1", "e2"])
      await deliver(gateway, "echo", { from: "ana", text: "hi", id: "m" }, { account, headers: {} });
    await processAll(gateway);
    using reader = gateway.deps.feed.read();
    await gateway.call("DELETE", `/admin/accounts/${account_id}`, { headers: asAdmin });
    const entries = (await gateway.call("GET", "/admin/outbox?tenant=a", { headers: asAdmin })).body.entries;
    const [ofKept, ofDeleted] = [kept, account_id].map((one) =>
      entries.find((entry: { account_id: string }) => entry.account_id === one),
    );
    expect(ofKept).toMatchObject({ source: "inbound_forward", status: "pending", last_error: null });
    expect(ofDeleted).toMatchObject({
      source: "inbound_forward",
      status: "failed",
      last_error: "account_deleted",
    });
    const path = `/admin/messages/${ofDeleted.message_id}/trail`;
    const { messages } = (await gateway.call("GET", path, { headers: asAdmin })).body;
    expect(messages[0].events.at(-1)).toMatchObject({
      event: "failed",
      details: { error: "account_deleted" },
    });
    expect(await reader.next(new AbortController().signal)).toMatchObject([
      { about: "outbound", change: "failed", message_id: ofDeleted.message_id },
      { about: "account", change: "deleted" },
    ]);
  });

  test("and bindings are listed whole, or by channel and page", async () => {
    await using gateway = await startGateway(engine);
    const save = async (path: string, body: object) =>
      (await gateway.call("POST", path, { headers: asAdmin, body })).body.id;
    const config = { callback_url: "https://shop.example.com/messages" };
    for (const external_id of ["PN1", "PN2", "PN3"]) {
      const account_id = await save("/admin/accounts", { ...phone, external_id });
      await save("/admin/bindings", { tenant_id: "a", account_id, config });
      await gateway.clock.advance(1);
    }
    const account_id = await save("/admin/accounts", { tenant_id: "a", channel: "echo", external_id: "e" });
    await save("/admin/bindings", { tenant_id: "a", account_id, config });
    const list = (noun: string, query: string) =>
      gateway.call("GET", `/admin/${noun}?tenant_id=a${query}`, { headers: asAdmin });
    for (const noun of ["accounts", "bindings"]) {
      const channels = async (query: string) =>
        (await list(noun, query)).body[noun].map(({ channel }: { channel: string }) => channel);
      const all = (await list(noun, "")).body[noun];
      expect(all).toHaveLength(4);
      expect(await channels("&channel=echo")).toEqual(["echo"]);
      expect(await channels("&channel=webchat")).toEqual([]);
      expect((await list(noun, "&limit=2&offset=1")).body[noun]).toEqual(all.slice(1, 3));
      expect((await list(noun, "&offset=3")).body[noun]).toEqual(all.slice(3));
      expect((await list(noun, "&limit=1000000")).body[noun]).toEqual(all);
      for (const bad of ["limit=0", "limit=x", "limit=", "offset=-1", "channel=fax", "colour=red"])
        expect(`${bad} ${(await list(noun, `&${bad}`)).status}`).toBe(`${bad} 400`);
    }
  });

  test("one account is created by ten requests at once", async () => {
    await using gateway = await startGateway(engine);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        gateway.call("POST", "/admin/accounts", { headers: asAdmin, body: phone }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  test("stored credentials are sealed", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    const { storage } = gateway.deps;
    const rows = await storage.read.select().from(storage.tables.accounts);
    expect(JSON.stringify(rows)).not.toContain("EAAG");
    expect(rows[0]?.credentials).toStartWith("v1.k1.");
  });
});

describe("an account is refused with 400", () => {
  const refused: [change: object, part: string][] = [
    [{ credentials: {} }, "credentials.access_token is required"],
    [{ credentials: undefined }, "credentials.access_token is required"],
    [{ credentials: { access_token: "•••7890" } }, "masked"],
    [{ credentials: { access_token: "has a space" } }, "without spaces"],
    [{ credentials: { bot_token: "1:2" } }, "takes access_token, app_secret, verify_token only"],
    [{ channel: "bot_messenger", credentials: { bot_token: "no-colon" } }, "must be a bot's token"],
    [{ channel: "echo" }, "has no credentials"],
    [{ channel: "sms" }, "phone_messenger"],
    [{ external_id: "" }, "external_id"],
    [{ external_id: "a/b" }, "external_id"],
    [{ tenant_id: "a b" }, "tenant_id"],
    [{ emulated: "yes" }, "emulated"],
    [{ colour: "red" }, "colour"],
  ];
  test.each(refused)("%j", async (change, part) => {
    await using gateway = await startGateway(sqliteEngine);
    const body = { ...phone, ...change };
    const answer = await gateway.call("POST", "/admin/accounts", { headers: asAdmin, body });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual(["error"]);
    expect(answer.body.error).toContain(part);
  });
});

describe("a bot's webhook", () => {
  const bot = {
    tenant_id: "a",
    channel: "bot_messenger",
    external_id: "123456",
    credentials: credentialsOf("bot_messenger"),
  };
  const save = (gateway: Awaited<ReturnType<typeof startGateway>>, body: object) =>
    gateway.call("POST", "/admin/accounts", { headers: asAdmin, body });

  test("is registered before the account is stored; if the provider refuses it, nothing is stored and the answer is 502", async () => {
    await using gateway = await startGateway(sqliteEngine);
    gateway.webhooks.fails = true;
    expect((await save(gateway, bot)).status).toBe(502);
    const list = await gateway.call("GET", "/admin/accounts?tenant_id=a", { headers: asAdmin });
    expect(list.body).toEqual({ accounts: [] });
    gateway.webhooks.fails = false;
    expect((await save(gateway, bot)).status).toBe(201);
    expect(gateway.webhooks.registered).toEqual(["123456"]);
  });

  test("is not registered for an emulated account or another channel", async () => {
    await using gateway = await startGateway(sqliteEngine);
    gateway.webhooks.fails = true;
    expect((await save(gateway, { ...bot, emulated: true })).status).toBe(201);
    await gateway.account("a", "phone_messenger", "PN1");
    expect(gateway.webhooks.registered).toEqual([]);
  });
});

test("accounts of no tenant are not listed: a list without tenant_id is 400", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const answer = await gateway.call("GET", "/admin/accounts", { headers: asAdmin });
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("tenant_id") } });
});
