import { expect, test } from "bun:test";
import type { Config } from "../../../../src/compose/settings/config.ts";
import { startConsole, type TestConsoleOptions } from "../../../support/console-server.ts";

const adminToken = "admin-token-of-the-gateway-with-32-bytes";
const apiToken = "api-token-with-at-least-32-bytes-in-it";

const withTokens = (config: Config): Config => ({
  ...config,
  access: { ...config.access, apiToken },
  gateway: { ...config.gateway, adminToken },
});

const start = (configure: TestConsoleOptions["configure"] = withTokens) =>
  startConsole({ services: ["daemon", "platform", "gateway"], configure });

const setup = "/console/api/gateway/admin/setup";

test("the gateway opens by its admin token; every other service is 403 with it", async () => {
  await using server = await start();
  const operator = server.browser("gateway");
  const begun = await operator.begin({ token: adminToken });
  expect(begun.body.signed_in).toEqual({ daemon: false, operator: false, gateway: true, local: false });
  expect((await operator.call("GET", setup)).status).toBe(200);
  expect((await operator.daemon("GET", "/v1/agents")).status).toBe(403);
  expect((await operator.platform("GET", "/api/v1/admin/tenants")).status).toBe(403);
  expect(JSON.stringify(begun.body)).not.toContain(adminToken);
});

test("another session is 401 or 403 at the gateway, with any headers", async () => {
  await using server = await start();
  const stranger = server.browser("gateway");
  const headers = { "x-admin-token": adminToken };
  expect((await stranger.call("GET", setup, { headers })).status).toBe(401);
  const holder = server.browser("gateway");
  await holder.begin({ token: apiToken });
  // A credential from the page is dropped.
  const refused = await holder.call("GET", setup, { headers });
  expect(refused).toMatchObject({ status: 403, body: { error: "not_granted" } });
});

test("the owner's link opens it, also if no admin token is configured", async () => {
  await using server = await start((config) => config);
  const owner = server.browser("gateway");
  const begun = await owner.begin({ link: await server.link() });
  expect(begun.body.signed_in).toMatchObject({ gateway: true, local: true });
  expect((await owner.call("GET", setup)).status).toBe(200);
  // On its own port, these routes don't exist.
  expect((await fetch(`${server.url("gateway")}/admin/setup`)).status).toBe(404);
});

test.each([
  ["POST", "/api/v1/messages/send"],
  ["POST", "/webhooks/echo/e1"],
  ["GET", "/webchat/widget.js"],
  ["POST", "/control/stop"],
] as const)("%s %s from a page is 404", async (method, path) => {
  await using server = await start();
  const operator = server.browser("gateway");
  await operator.begin({ token: adminToken });
  const body = method === "POST" ? { body: {} } : {};
  expect((await operator.call(method, `/console/api/gateway${path}`, body)).status).toBe(404);
});

test("the name that a page gives itself is dropped: a malformed one is not refused with 400", async () => {
  await using server = await start();
  const owner = server.browser("gateway");
  await owner.begin({ link: await server.link() });
  const path = "/console/api/gateway/admin/conversations/none/note";
  const headers = { "x-acting-for": "%zz" };
  expect((await owner.call("POST", path, { headers, body: { text: "x" } })).status).toBe(404);
});

test("an earlier admin token is 401", async () => {
  await using server = await start((config) => ({
    ...config,
    gateway: { ...config.gateway, adminToken: `${adminToken}-new` },
  }));
  expect((await server.browser("gateway").begin({ token: adminToken })).status).toBe(401);
});

test("traces of tenants are 403 for everyone but the owner of the machine", async () => {
  await using server = await start();
  const path = "/console/api/daemon/v1/traces/none?tenant=shop";
  const holder = server.browser();
  await holder.begin({ token: apiToken });
  expect(await holder.call("GET", path)).toMatchObject({ status: 403, body: { error: "owner_only" } });
  const owner = server.browser();
  await owner.begin({ link: await server.link() });
  expect((await owner.call("GET", path)).status).toBe(404);
});

test("a person of a tenant with the role desk uses the gateway for that tenant alone; a viewer is 403, a stranger 404", async () => {
  await using server = await start();
  const owner = server.browser("platform");
  const person = { email: "owner@a.example", password: "password-123", display_name: "Olga" };
  await owner.begin(person);
  const { body: tenant } = await owner.platform("POST", "/api/v1/tenants", { body: { displayName: "Shop" } });
  const join = async (email: string, role: string) => {
    const browser = server.browser("gateway");
    await browser.begin({ ...person, email, display_name: email });
    const invited = await owner.platform("POST", `/api/v1/tenants/${tenant.id}/invitations`, {
      body: { email, role },
    });
    await browser.platform("POST", "/api/v1/invitations/accept", { body: { token: invited.body.token } });
    return browser;
  };
  const [desk, viewer] = [await join("desk@a.example", "desk"), await join("viewer@a.example", "viewer")];
  const headers = { "x-tenant-id": tenant.id };
  const list = "/console/api/gateway/admin/conversations";
  const { signed_in } = (await desk.call("GET", "/console/session")).body;
  expect(signed_in).toMatchObject({ desk: [{ id: tenant.id, name: "Shop", role: "desk" }] });
  expect(signed_in.gateway).toBeUndefined();
  expect(await desk.call("GET", list, { headers })).toMatchObject({ status: 200, body: { total: 0 } });
  expect((await desk.call("GET", list)).status).toBe(400);
  expect((await desk.call("GET", list, { headers: { "x-tenant-id": "another" } })).status).toBe(404);
  // Operators' routes stay theirs: the page's session has no token of the gateway.
  for (const path of ["/accounts?tenant_id=a", "/stats", "/bindings?tenant_id=a"])
    expect((await desk.call("GET", `/console/api/gateway/admin${path}`, { headers })).status).toBe(401);
  expect((await viewer.call("GET", list, { headers })).status).toBe(403);
  expect((await viewer.call("GET", "/console/session")).body.signed_in.desk).toBeUndefined();
  // Whoever is removed sees nothing more.
  const { members } = (await owner.platform("GET", `/api/v1/tenants/${tenant.id}/members`)).body;
  const gone = members.find(({ email }: { email: string }) => email === "desk@a.example");
  await owner.platform("DELETE", `/api/v1/tenants/${tenant.id}/members/${gone.user_id}`);
  expect((await desk.call("GET", list, { headers })).status).toBe(404);
});
