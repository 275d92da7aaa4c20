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

test("the name that a page gives itself is dropped: a malformed one is no 400", async () => {
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
