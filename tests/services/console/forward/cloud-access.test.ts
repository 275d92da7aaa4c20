import { expect, test } from "bun:test";
import type { Config } from "../../../../src/compose/settings/config.ts";
import { startConsole, type TestConsoleOptions } from "../../../support/console-server.ts";

const start = (options: TestConsoleOptions = {}) =>
  startConsole({ services: ["daemon", "cloud", "translator"], ...options });

const mine = "/console/api/cloud/api/v1/orgs/me";
const ada = { cloud: { email: "ada@example.com", name: "Ada" } };

test("a person of the cloud signs in by its development login, and other services are 403", async () => {
  await using server = await start();
  const browser = server.browser("cloud");
  const before = await browser.call("GET", "/console/session");
  expect(before.body.ways).toMatchObject({
    open: false,
    cloud: { dev: true, google: false, github: false },
  });
  const begun = await browser.begin(ada);
  expect(begun.body.signed_in).toEqual({ daemon: false, operator: false, cloud: true, local: false });
  expect(JSON.stringify(begun.body)).not.toContain("eyJ");
  expect((await browser.call("GET", mine)).body).toMatchObject({ slug: "ada", plan: "free" });
  expect((await browser.call("GET", `${mine}?all=true`)).body).toMatchObject({
    orgs: [{ slug: "ada", role: "owner" }],
    email: "ada@example.com",
  });
  // It opens nothing else.
  expect((await browser.daemon("GET", "/v1/agents")).status).toBe(403);
  expect((await browser.call("GET", "/console/api/translator/v1/specs")).status).toBe(403);
});

test("another session is 401 or 403 at the cloud, with any headers", async () => {
  await using server = await start();
  const stranger = server.browser("cloud");
  expect((await stranger.call("GET", mine)).status).toBe(401);
  const visitor = server.browser();
  await visitor.begin({});
  const headers = { authorization: "Bearer forged", "x-api-key": "ask-forged" };
  const refused = await visitor.call("GET", mine, { headers });
  expect(refused).toMatchObject({
    status: 403,
    body: { error: "not_granted", hint: "Sign in to the cloud." },
  });
});

test("signing in to the cloud adds to a session, and signing in again replaces the account", async () => {
  await using server = await start();
  const browser = server.browser();
  await browser.begin({});
  expect((await browser.begin(ada)).body.signed_in).toMatchObject({ daemon: true, cloud: true });
  await browser.begin({ cloud: { email: "bea@example.com", name: "Bea" } });
  expect((await browser.call("GET", mine)).body.slug).toBe("bea");
  expect((await browser.daemon("GET", "/v1/agents")).status).toBe(200);
});

test("signing out ends the session at the cloud too: 401", async () => {
  await using server = await start();
  const browser = server.browser("cloud");
  await browser.begin(ada);
  expect((await browser.call("DELETE", "/console/session")).status).toBe(204);
  expect((await browser.call("GET", mine)).status).toBe(401);
  const audit = await server.browser("cloud").begin(ada);
  expect(audit.status).toBe(201);
});

test("the owner's link opens the cloud and the translator, also without a development login", async () => {
  await using server = await start({
    configure: (config: Config) => ({ ...config, cloud: { ...config.cloud, devLogin: false } }),
  });
  const owner = server.browser("cloud");
  expect(await owner.begin(ada)).toMatchObject({ status: 403, body: { error: "dev_login_disabled" } });
  const begun = await owner.begin({ link: await server.link() });
  expect(begun.body.signed_in).toMatchObject({ daemon: true, cloud: true, translator: true, local: true });
  expect((await owner.call("GET", mine)).body).toMatchObject({ slug: "owner" });
  expect((await owner.call("GET", "/console/api/translator/v1/specs")).body).toEqual({ specs: [] });
});

test("the development login judges the host name that the browser sent", async () => {
  await using server = await start();
  const forwarded = server.browser("cloud");
  const answer = await forwarded.begin(ada, { "x-forwarded-for": "192.0.2.7" });
  expect(answer.status).not.toBe(201);
});

test.each([
  ["POST", "/api/v1/auth/dev/login"],
  ["POST", "/api/v1/auth/refresh"],
  ["PUT", "/control/orgs/ada/plan"],
] as const)("%s %s from a page is 404", async (method, path) => {
  await using server = await start();
  const browser = server.browser("cloud");
  await browser.begin(ada);
  const answer = await browser.call(method, `/console/api/cloud${path}`, { body: {} });
  expect(answer.status).toBe(404);
});

test("a sign-in at a vendor that is not configured is 501 with advice", async () => {
  await using server = await start();
  const browser = server.browser("cloud");
  const refused = await browser.call("POST", "/console/cloud-sign-in", { body: { vendor: "google" } });
  expect(refused).toMatchObject({ status: 501, body: { error: "not_implemented" } });
});

test("a sign-in at a vendor returns to this console", async () => {
  const github = {
    clientId: "client",
    clientSecret: "secret-of-the-client",
    authorizationUrl: "https://github.example/authorize",
    tokenUrl: "https://github.example/token",
    apiUrl: "https://api.github.example",
  };
  await using server = await start({
    configure: (config) => ({ ...config, cloud: { ...config.cloud, github: github as never } }),
  });
  const browser = server.browser("cloud");
  const { body } = await browser.call("POST", "/console/cloud-sign-in", { body: { vendor: "github" } });
  const url = new URL(body.url);
  expect(url.origin + url.pathname).toBe("https://github.example/authorize");
  expect(url.searchParams.get("redirect_uri")).toBe(`${server.url("cloud")}/cloud/sign-in`);
  expect(url.searchParams.get("state")).toBe(body.state);
  const invented = await browser.begin({ cloud: { vendor: "github", code: "c", state: "invented" } });
  expect(invented.status).toBeGreaterThanOrEqual(400);
});

test("a visitor of the translator uses it on its own listener; elsewhere it is 403", async () => {
  await using server = await start();
  const there = server.browser("translator");
  expect((await there.begin({})).body.signed_in).toEqual({
    daemon: false,
    operator: false,
    translator: true,
    local: false,
  });
  expect((await there.call("GET", "/console/api/translator/v1/specs")).status).toBe(200);
  const elsewhere = server.browser();
  const { body } = await elsewhere.begin({});
  expect(body.signed_in).toEqual({ daemon: true, operator: false, local: false });
  expect((await elsewhere.call("GET", "/console/api/translator/v1/specs")).status).toBe(403);
});
