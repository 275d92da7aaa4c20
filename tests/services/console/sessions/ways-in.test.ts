import { describe, expect, test } from "bun:test";
import type { Config } from "../../../../src/compose/settings/config.ts";
import { startConsole } from "../../../support/console-server.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const apiToken = "api-token-of-at-least-thirty-two-bytes";
const operatorToken = "operator-token-of-at-least-32-bytes-long";

const withTokens = (config: Config): Config => ({
  ...config,
  access: { ...config.access, apiToken },
  platform: { ...config.platform, operatorToken },
});

const exposed = (config: Config): Config => ({
  ...config,
  access: { ...config.access, allowedHosts: ["console.example"] },
});

const account = { email: "ada@example.com", password: "correct horse", display_name: "Ada" };

describe("before there is a session", () => {
  test("a page learns by which ways it may begin one, and nothing else", async () => {
    await using argosy = await startConsole();
    const { status, body, headers } = await argosy.browser().call("GET", "/console/session");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      version: expect.any(String),
      home: "daemon",
      services: ["daemon", "platform"],
      ways: { open: true, person: true, registration: true, token: false },
      signed_in: null,
    });
    const other = await argosy.browser("platform").call("GET", "/console/session");
    expect(other.body).toMatchObject({ home: "platform", ways: { open: false, person: true } });
  });

  test("the ways follow the configuration", async () => {
    await using argosy = await startConsole({
      services: ["daemon"],
      configure: (config) => exposed(withTokens(config)),
    });
    const { body } = await argosy.browser().call("GET", "/console/session");
    expect(body.services).toEqual(["daemon"]);
    expect(body.ways).toEqual({ open: false, person: false, registration: false, token: true });
  });
});

describe("a visitor", () => {
  test("comes in where the daemon asks for no credential; other services are 403", async () => {
    await using argosy = await startConsole();
    const visitor = argosy.browser();
    const { status, body } = await visitor.begin({});
    expect(status).toBe(201);
    expect(body.signed_in).toEqual({ daemon: true, operator: false, local: false });
    expect((await visitor.daemon("GET", "/v1/agents")).body.agents).toMatchObject([{ name: "helper" }]);
    expect(await visitor.platform("GET", "/api/v1/tenants")).toMatchObject({
      status: 403,
      body: { error: "not_granted" },
    });
  });

  test("without an account is 401 where only the platform runs", async () => {
    await using argosy = await startConsole();
    expect(await argosy.browser("platform").begin({})).toMatchObject({
      status: 401,
      body: { error: "credential_needed" },
    });
  });

  test("of the daemon's page is none on the platform's, though the browser would send the cookie there", async () => {
    await using argosy = await startConsole();
    const visitor = argosy.browser();
    await visitor.begin({});
    const there = argosy.browser("platform");
    there.key = visitor.key;
    there.cookie = visitor.cookie.replace(/_\d+=/, `_${new URL(there.origin).port}=`);
    expect((await there.daemon("GET", "/v1/agents")).body.error).toBe("not_granted");
    expect((await there.call("GET", "/console/session")).body.signed_in).toBeNull();
  });

  test("is 401 through a proxy or at an exposed daemon", async () => {
    await using argosy = await startConsole();
    for (const header of ["x-forwarded-for", "x-forwarded-host", "forwarded"]) {
      const { status } = await argosy.browser().begin({}, { [header]: "for=192.0.2.1" });
      expect(status).toBe(401);
    }
    await using public_ = await startConsole({ configure: exposed });
    expect((await public_.browser().begin({})).status).toBe(401);
  });

  test("with a credential beside the body is 401 too", async () => {
    await using argosy = await startConsole({ configure: (config) => exposed(withTokens(config)) });
    const { status } = await argosy.browser().begin({}, { authorization: `Bearer ${apiToken}` });
    expect(status).toBe(401);
  });

  test("is checked with each call: behind a proxy the daemon answers 401 without its token", async () => {
    await using argosy = await startConsole();
    const visitor = argosy.browser();
    await visitor.begin({});
    const forwarded = { headers: { "x-forwarded-for": "192.0.2.1" } };
    expect(await visitor.daemon("GET", "/v1/agents", forwarded)).toMatchObject({
      status: 401,
      body: { error: "unauthorized" },
    });
    const { body } = await visitor.call("GET", "/console/session", forwarded);
    expect(body.signed_in).toBeNull();
  });
});

describe("the link of the machine's owner", () => {
  test("opens both sides, once; the second time is 401", async () => {
    await using argosy = await startConsole();
    const link = await argosy.link();
    const owner = argosy.browser();
    const { status, body } = await owner.begin({ link });
    expect(status).toBe(201);
    expect(body.signed_in).toMatchObject({
      daemon: true,
      operator: true,
      local: true,
      person: { email: "owner@localhost" },
    });
    expect((await owner.daemon("GET", "/v1/agents")).status).toBe(200);
    expect((await owner.platform("GET", "/api/v1/tenants")).status).toBe(200);
    expect((await owner.platform("GET", "/api/v1/admin/audit")).body.entries).toMatchObject([
      { action: "owner.sign_in", actor: "cli" },
    ]);
    expect(await argosy.browser().begin({ link })).toMatchObject({
      status: 401,
      body: { error: "link_used" },
    });
  });

  test("works on the platform's own page too, for both services", async () => {
    await using argosy = await startConsole();
    const owner = argosy.browser("platform");
    expect((await owner.begin({ link: await argosy.link() })).body.signed_in.daemon).toBe(true);
    expect((await owner.daemon("GET", "/v1/agents")).status).toBe(200);
  });

  test("ends after ten minutes", async () => {
    await using argosy = await startConsole({ services: ["daemon"] });
    const [inTime, late] = [await argosy.link(), await argosy.link()];
    await argosy.clock.advance(10 * 60_000 - 1);
    expect((await argosy.browser().begin({ link: inTime })).status).toBe(201);
    await argosy.clock.advance(1);
    expect((await argosy.browser().begin({ link: late })).body.error).toBe("link_used");
  });

  test("is made through the control socket; over HTTP it is 404", async () => {
    await using argosy = await startConsole();
    const browser = argosy.browser();
    await browser.begin({ link: await argosy.link() });
    for (const service of ["daemon", "platform"] as const) {
      const { status } = await fetch(`${argosy.url(service)}/console/links`, { method: "POST" });
      expect(status).toBe(404);
    }
    expect((await browser.daemon("POST", "/console/links")).status).toBe(404);
    expect((await browser.platform("POST", "/control/owner-session")).status).toBe(404);
  });

  test("doesn't open a daemon that is exposed without a token: 403", async () => {
    await using argosy = await startConsole({ configure: exposed });
    const owner = argosy.browser();
    expect((await owner.begin({ link: await argosy.link() })).body.signed_in).toMatchObject({
      daemon: false,
      operator: true,
    });
    expect((await owner.daemon("GET", "/v1/agents")).status).toBe(403);
  });
});

describe("tokens", () => {
  test("each token opens its own service; another service is 401 or 403", async () => {
    await using argosy = await startConsole({ configure: (config) => exposed(withTokens(config)) });
    const operator = argosy.browser();
    expect((await operator.begin({ token: operatorToken })).body.signed_in).toEqual({
      daemon: false,
      operator: true,
      local: false,
    });
    expect((await operator.platform("GET", "/api/v1/admin/tenants")).status).toBe(200);
    expect((await operator.platform("GET", "/api/v1/me")).status).toBe(401);
    expect((await operator.daemon("GET", "/v1/agents")).status).toBe(403);

    const user = argosy.browser("platform");
    expect((await user.begin({ token: apiToken })).body.signed_in).toMatchObject({
      daemon: true,
      operator: false,
    });
    expect((await user.daemon("GET", "/v1/agents")).status).toBe(200);
    expect((await user.platform("GET", "/api/v1/admin/tenants")).status).toBe(403);
  });

  test("after ten wrong ones from one address, any is 429 for 15 minutes", async () => {
    await using argosy = await startConsole({ configure: withTokens });
    const browser = argosy.browser();
    for (let guess = 0; guess < 10; guess++) {
      expect((await browser.begin({ token: `${guess}-not-the-token` })).body.error).toBe("invalid_token");
    }
    const refused = await browser.begin({ token: "10-not-the-token" });
    expect(refused).toMatchObject({ status: 429, body: { error: "too_many_attempts" } });
    expect(refused.headers.get("retry-after")).toBe("900");
    // Behind a proxy, the operator and the guesser may have one address.
    expect((await browser.begin({ token: apiToken })).status).toBe(201);
    await argosy.clock.advance(15 * 60_000);
    expect((await browser.begin({ token: "11-not-the-token" })).body.error).toBe("invalid_token");
  });

  test("a session by a token ends with that token", async () => {
    using folder = temporaryFolder();
    let cookie = "";
    let key = "";
    {
      await using argosy = await startConsole({ workspace: folder.path, configure: withTokens });
      const user = argosy.browser();
      await user.begin({ token: apiToken });
      ({ cookie, key } = user);
    }
    await using argosy = await startConsole({
      workspace: folder.path,
      configure: (config) => ({ ...config, access: { ...config.access, apiToken: `another-${apiToken}` } }),
    });
    const user = argosy.browser();
    user.cookie = cookie;
    user.key = key;
    expect((await user.call("GET", "/console/session")).body.signed_in).toBeNull();
  });
});

describe("an account of the platform", () => {
  test("is made and signed in with the platform's own answers", async () => {
    await using argosy = await startConsole();
    const ada = argosy.browser("platform");
    const begun = await ada.begin(account);
    expect(begun.status).toBe(201);
    expect(begun.body.signed_in).toMatchObject({
      daemon: false,
      operator: false,
      person: { email: "ada@example.com", display_name: "Ada" },
    });
    expect((await ada.platform("GET", "/api/v1/tenants")).body).toEqual({ tenants: [] });
    expect((await ada.platform("GET", "/api/v1/admin/tenants")).status).toBe(401);
    expect((await ada.daemon("GET", "/v1/agents")).status).toBe(403);

    const { email, password } = account;
    const again = argosy.browser("platform");
    expect((await again.begin({ email, password: "wrong horse" })).body.error).toBe("invalid_credentials");
    expect((await again.begin({ email, password })).status).toBe(201);
    expect((await again.begin(account)).body.error).toBe("email_taken");
  });

  test("adds to a visitor's session, whose cookie and key change; the old ones are 401", async () => {
    await using argosy = await startConsole();
    const ada = argosy.browser();
    await ada.begin({});
    const before = ada.headers();
    expect((await ada.begin(account)).body.signed_in).toMatchObject({
      daemon: true,
      person: { email: "ada@example.com" },
    });
    expect((await ada.daemon("GET", "/v1/agents")).status).toBe(200);
    expect((await ada.platform("GET", "/api/v1/me")).status).toBe(200);
    const old = await fetch(`${ada.origin}/console/api/daemon/v1/agents`, { headers: before });
    expect(old.status).toBe(401);
  });

  test("the browser is marked, so that later guesses from its address don't delay its person", async () => {
    await using argosy = await startConsole();
    const ada = argosy.browser("platform");
    const begun = await ada.begin(account);
    const mark = begun.headers.getSetCookie().find((cookie) => cookie.startsWith("argosy_device="));
    expect(mark).toMatch(/^argosy_device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000$/);
    const guess = { email: account.email, password: "wrong horse" };
    const guesser = argosy.browser("platform");
    for (let count = 0; count < 10; count++) await guesser.begin(guess);
    const waiting = guesser.begin(guess).catch(() => undefined);
    const again = argosy.browser("platform");
    again.cookie = mark?.split(";")[0] ?? "";
    expect((await again.begin({ email: account.email, password: account.password })).status).toBe(201);
    await argosy.clock.advance(5000);
    await waiting;
  });

  test("the platform counts failures by where they come from, not by the console", async () => {
    await using argosy = await startConsole();
    const guess = { email: "ada@example.com", password: "wrong horse" };
    const guesser = argosy.browser("platform");
    for (let count = 0; count < 10; count++) expect((await guesser.begin(guess)).status).toBe(401);
    // As many as the queue of this account and address holds, and one that bypasses the console: one of them is rejected.
    const waiting = Array.from({ length: 4 }, () => guesser.begin(guess));
    const direct = fetch(`${argosy.url("platform")}/auth/login`, {
      method: "POST",
      body: JSON.stringify(guess),
    }).then(async (answer) => ({ body: (await answer.json()) as { error: string } }));
    const pushedOut = await Promise.race([...waiting, direct]);
    expect(pushedOut.body.error).toBe("too_many_attempts");
  });
});
