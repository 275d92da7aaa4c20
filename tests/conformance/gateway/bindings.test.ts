import { describe, expect, test } from "bun:test";
import { asAdmin, startGateway, type TestGateway } from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

const config = { platform_api_key: "apk_secret-of-tenant-a" };

const create = (gateway: TestGateway, body: object) =>
  gateway.call("POST", "/admin/bindings", { headers: asAdmin, body });
const change = (gateway: TestGateway, id: string, body: object) =>
  gateway.call("PUT", `/admin/bindings/${id}`, { headers: asAdmin, body });

onEachEngine("bindings", (engine) => {
  test("are created once for an account (a second one is 409), changed, listed masked and deleted; after that 404", async () => {
    await using gateway = await startGateway(engine);
    const account_id = await gateway.account("a", "phone_messenger", "PN1");
    const input = { tenant_id: "a", account_id, entry_agent: "support", fallback_message: "Sorry.", config };
    const created = await create(gateway, input);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      tenant_id: "a",
      channel: "phone_messenger",
      account_id,
      entry_agent: "support",
      fallback_message: "Sorry.",
      config: { platform_api_key: "•••nt-a" },
      created_at: "2026-03-10T12:00:00.000Z",
      updated_at: "2026-03-10T12:00:00.000Z",
    });
    expect((await create(gateway, input)).status).toBe(409);

    gateway.agents.set("sales", "known");
    await gateway.clock.advance(1000);
    const changed = await change(gateway, created.body.id, {
      entry_agent: "sales",
      config: { callback_url: "https://example.com/in", callback_secret: "a-secret-1234" },
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...created.body,
      entry_agent: "sales",
      config: {
        platform_api_key: "•••nt-a",
        callback_url: "https://example.com/in",
        callback_secret: "•••1234",
      },
      updated_at: "2026-03-10T12:00:01.000Z",
    });
    const without = await change(gateway, created.body.id, {
      config: { callback_url: null, callback_secret: null },
    });
    expect(without.body.config).toEqual({ platform_api_key: "•••nt-a" });

    const list = () => gateway.call("GET", "/admin/bindings?tenant_id=a", { headers: asAdmin });
    expect((await list()).body).toEqual({ bindings: [without.body] });
    const remove = () => gateway.call("DELETE", `/admin/bindings/${created.body.id}`, { headers: asAdmin });
    expect(await remove()).toMatchObject({ status: 200, body: { deleted: true } });
    expect((await remove()).status).toBe(404);
    expect((await change(gateway, created.body.id, {})).status).toBe(404);
    expect((await list()).body).toEqual({ bindings: [] });
  });

  test("ten changes at once are all merged", async () => {
    await using gateway = await startGateway(engine);
    const account_id = await gateway.account("a", "phone_messenger", "PN1");
    const { body } = await create(gateway, { tenant_id: "a", account_id, entry_agent: "support", config });
    const answers = await Promise.all([
      change(gateway, body.id, { fallback_message: "one" }),
      change(gateway, body.id, { config: { callback_url: "https://example.com/in" } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { bindings } = (await gateway.call("GET", "/admin/bindings?tenant_id=a", { headers: asAdmin }))
      .body;
    expect(bindings[0]).toMatchObject({
      fallback_message: "one",
      config: { platform_api_key: "•••nt-a", callback_url: "https://example.com/in" },
    });
  });
});

describe("a binding is refused", () => {
  const refused: [status: number, change: object, part: string][] = [
    [400, { entry_agent: undefined }, "entry_agent is required"],
    [400, { config: {} }, "platform_api_key is required"],
    [400, { config: { platform_api_key: "•••1234" } }, "masked"],
    [400, { config: { ...config, callback_url: "http://example.com" } }, "https"],
    [400, { config: { ...config, callback_url: "https://user:pass@example.com" } }, "credentials"],
    [400, { config: { ...config, callback_url: "https://example.com", callback_secret: "•••" } }, "masked"],
    [400, { config: { ...config, callback_secret: "a-secret-1234" } }, "callback_url"],
    [400, { config: { ...config, pedir_contacto: true } }, "bot_messenger"],
    [400, { config: { ...config, colour: "red" } }, "colour"],
    [422, { account_id: "none" }, "has no account none"],
    [422, { tenant_id: "b" }, "Tenant b has no account"],
    [422, { channel: "echo" }, "has no echo account"],
    [422, { entry_agent: "nobody" }, "no agent nobody"],
    [422, { entry_agent: "locked" }, "refused config.platform_api_key"],
    [502, { entry_agent: "silent" }, "could not be asked"],
  ];
  test.each(refused)("%d %j", async (status, more, part) => {
    await using gateway = await startGateway(sqliteEngine);
    gateway.agents.set("locked", "key_refused").set("silent", undefined);
    const account_id = await gateway.account("a", "phone_messenger", "PN1");
    const answer = await create(gateway, {
      tenant_id: "a",
      account_id,
      entry_agent: "support",
      config,
      ...more,
    });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.stringContaining(part) });
    const list = await gateway.call("GET", "/admin/bindings?tenant_id=a", { headers: asAdmin });
    expect(list.body).toEqual({ bindings: [] });
  });
});

test("a callback needs no agent and no key", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const account_id = await gateway.account("a", "echo", "e1");
  const answer = await create(gateway, {
    tenant_id: "a",
    account_id,
    config: { callback_url: "https://example.com/in" },
  });
  expect(answer).toMatchObject({ status: 201, body: { entry_agent: null, fallback_message: "" } });
});

test("a change that the platform refuses is 422 and leaves the binding as it was", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const account_id = await gateway.account("a", "phone_messenger", "PN1");
  const created = await create(gateway, { tenant_id: "a", account_id, entry_agent: "support", config });
  expect((await change(gateway, created.body.id, { entry_agent: "nobody" })).status).toBe(422);
  gateway.agents.set("support", "key_refused");
  expect((await change(gateway, created.body.id, { fallback_message: "x" })).status).toBe(422);
  const list = await gateway.call("GET", "/admin/bindings?tenant_id=a", { headers: asAdmin });
  expect(list.body).toEqual({ bindings: [created.body] });
});
