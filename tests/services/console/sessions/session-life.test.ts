import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { controlSocketPath } from "../../../../src/storage/files/data-folder.ts";
import type { ConsoleBrowser } from "../../../support/console-browser.ts";
import { startConsole, type TestConsole } from "../../../support/console-server.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const signedIn = async (browser: ConsoleBrowser) =>
  (await browser.call("GET", "/console/session")).body.signed_in;

async function owner(argosy: TestConsole): Promise<ConsoleBrowser> {
  const browser = argosy.browser();
  await browser.begin({ link: await argosy.link() });
  return browser;
}

describe("what a session needs", () => {
  test("is the cookie and the key, both", async () => {
    await using argosy = await startConsole();
    const browser = await owner(argosy);
    const { cookie, key } = browser;
    for (const [cookieOf, keyOf] of [
      ["", key],
      [cookie, ""],
      [cookie, "another-key"],
      ["argosy_console_1=another", key],
      [`${cookie}x`, key],
    ]) {
      browser.cookie = cookieOf ?? "";
      browser.key = keyOf ?? "";
      expect(await signedIn(browser)).toBeNull();
      const { status, body } = await browser.daemon("GET", "/v1/agents");
      expect([status, body]).toEqual([
        401,
        { error: "session_needed", message: expect.any(String), hint: expect.any(String) },
      ]);
      expect((await browser.call("DELETE", "/console/session")).body.error).toBe("session_needed");
    }
  });

  test("its cookie is for this origin's own requests alone, and out of scripts' reach", async () => {
    await using argosy = await startConsole({ services: ["daemon"] });
    const { headers } = await argosy.browser().begin({});
    const { port } = new URL(argosy.url("daemon"));
    expect(headers.get("set-cookie")).toMatch(
      new RegExp(`^argosy_console_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800$`),
    );
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("behind a TLS proxy the cookie is secure, and another origin than the proxy's is 403", async () => {
    await using argosy = await startConsole({
      services: ["daemon"],
      configure: (config) => ({
        ...config,
        access: { allowedHosts: ["argosy.example"], insecureOpen: true },
      }),
    });
    const proxied = {
      host: "argosy.example",
      "x-forwarded-proto": "https",
      origin: "https://argosy.example",
    };
    const { status, headers } = await argosy.browser().begin({}, proxied);
    expect(status).toBe(201);
    expect(headers.get("set-cookie")).toMatch(/^__Host-argosy_console=[\w-]{43}; Path=\/; .*; Secure$/);
    const foreign = { ...proxied, origin: "http://argosy.example" };
    expect((await argosy.browser().begin({}, foreign)).status).toBe(403);
  });
});

describe("pages of others", () => {
  test("are 403 everywhere, another port of this machine included", async () => {
    await using argosy = await startConsole();
    const browser = await owner(argosy);
    const elsewhere = [argosy.url("platform"), "http://localhost:1", "null", "https://evil.example"];
    for (const origin of elsewhere) {
      const headers = { origin };
      expect((await browser.call("GET", "/console/session", { headers })).status).toBe(403);
      expect((await browser.begin({}, headers)).status).toBe(403);
      expect((await browser.daemon("GET", "/v1/agents", { headers })).status).toBe(403);
      expect((await browser.call("DELETE", "/console/session", { headers })).status).toBe(403);
    }
    for (const site of ["cross-site", "same-site", "none"]) {
      const headers = { "sec-fetch-site": site };
      expect((await browser.daemon("GET", "/v1/agents", { headers })).status).toBe(403);
    }
    expect((await browser.daemon("GET", "/v1/agents")).status).toBe(200);
  });

  test("with another name for this host are 421", async () => {
    await using argosy = await startConsole();
    for (const service of ["daemon", "platform"] as const) {
      const browser = argosy.browser(service);
      const headers = { host: "evil.example", origin: "http://evil.example" };
      for (const path of [
        "/",
        "/console/session",
        "/console/assets/main.js",
        "/console/api/daemon/v1/agents",
      ]) {
        expect((await browser.call("GET", path, { headers })).status).toBe(421);
      }
      expect((await browser.begin({}, headers)).status).toBe(421);
    }
  });

  test("that post a form are 415", async () => {
    await using argosy = await startConsole({ services: ["daemon"] });
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      expect((await argosy.browser().begin({}, { "content-type": type })).status).toBe(415);
    }
  });
});

describe("the end of a session", () => {
  test("comes by signing out, at the platform too; the old cookie is 401", async () => {
    await using argosy = await startConsole();
    const browser = await owner(argosy);
    const before = browser.headers();
    const ended = await browser.call("DELETE", "/console/session");
    expect(ended.status).toBe(204);
    expect(ended.headers.get("set-cookie")).toContain("Max-Age=0");
    const { status } = await fetch(`${browser.origin}/console/api/daemon/v1/agents`, { headers: before });
    expect(status).toBe(401);
    const again = await owner(argosy);
    const { body } = await again.platform("GET", "/api/v1/admin/audit");
    expect(body.entries).toHaveLength(2);
  });

  test("comes with the person's account, of which it was all", async () => {
    await using argosy = await startConsole();
    const ada = argosy.browser("platform");
    await ada.begin({ email: "ada@example.com", password: "correct horse", display_name: "Ada" });
    const unix = controlSocketPath(argosy.config.dataFolder, "platform.sock");
    const role = (method: string) =>
      fetch("http://localhost/control/operators/ada@example.com", { method, unix });
    expect(await signedIn(ada)).toMatchObject({ operator: false });
    await role("PUT");
    expect(await signedIn(ada)).toMatchObject({ operator: true });
    expect((await ada.platform("GET", "/api/v1/admin/audit")).status).toBe(200);
    // Removing the role ends the person's sessions.
    await role("DELETE");
    expect(await signedIn(ada)).toBeNull();
    expect((await ada.platform("GET", "/api/v1/me")).body.error).toBe("session_needed");
  });
});

describe("a person's tokens", () => {
  test("are renewed before they end, once for calls at once", async () => {
    await using argosy = await startConsole();
    const browser = await owner(argosy);
    await argosy.clock.advance(14.5 * 60_000);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => browser.platform("GET", "/api/v1/me")),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await argosy.clock.advance(60_000);
    expect((await browser.platform("GET", "/api/v1/me")).status).toBe(200);
    expect(argosy.logged()).not.toContain("reuse_revoked");
  });
});

describe("over a restart", () => {
  test("sessions stay, in a sealed file of this user alone", async () => {
    using folder = temporaryFolder();
    const clock = new FakeClock();
    let cookie = "";
    let key = "";
    {
      await using argosy = await startConsole({ workspace: folder.path, clock });
      ({ cookie, key } = await owner(argosy));
    }
    const file = join(folder.path, ".argosy/console-sessions.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, "utf8");
    for (const hint of ["owner@localhost", "accessToken", key, cookie.split("=")[1] ?? ""]) {
      expect(text).not.toContain(hint);
    }
    await using argosy = await startConsole({ workspace: folder.path, clock });
    const browser = argosy.browser();
    // The cookie's name contains the port, which has changed.
    browser.cookie = `argosy_console_${new URL(browser.origin).port}=${cookie.split("=")[1]}`;
    browser.key = key;
    expect(await signedIn(browser)).toMatchObject({ local: true, person: { email: "owner@localhost" } });
    expect((await browser.platform("GET", "/api/v1/me")).status).toBe(200);
  });

  test("a renewed token is on disk at once: one that was exchanged must never come again", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, ".argosy/console-sessions.json");
    await using argosy = await startConsole({ workspace: folder.path });
    const browser = await owner(argosy);
    await argosy.clock.advance(14.5 * 60_000);
    const before = readFileSync(file, "utf8");
    await browser.platform("GET", "/api/v1/me");
    expect(readFileSync(file, "utf8")).not.toBe(before);
  });

  test("a file that can't be read is as none", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, ".argosy/console-sessions.json");
    for (const damage of ["v1.x.y.z", "", "[]"]) {
      let kept: Pick<ConsoleBrowser, "cookie" | "key"> = { cookie: "", key: "" };
      {
        await using argosy = await startConsole({ workspace: folder.path, services: ["daemon"] });
        const browser = argosy.browser();
        await browser.begin({});
        kept = { cookie: browser.cookie, key: browser.key };
      }
      writeFileSync(file, damage);
      await using argosy = await startConsole({ workspace: folder.path, services: ["daemon"] });
      const browser = Object.assign(argosy.browser(), kept);
      expect(await signedIn(browser)).toBeNull();
      expect((await browser.begin({})).status).toBe(201);
      expect(argosy.logged()).toContain("console.sessions_unreadable");
    }
  });

  test("without sealing keys nothing is written", async () => {
    using folder = temporaryFolder();
    {
      await using argosy = await startConsole({
        workspace: folder.path,
        services: ["daemon"],
        configure: (config) => ({ ...config, secrets: { generate: false } }),
      });
      expect((await argosy.browser().begin({})).status).toBe(201);
    }
    expect(existsSync(join(folder.path, ".argosy/console-sessions.json"))).toBe(false);
  });
});

test("no secret of a session is in the log or in any answer but its own", async () => {
  await using argosy = await startConsole();
  const link = await argosy.link();
  const browser = argosy.browser();
  const begun = await browser.begin({ link });
  const answers = [
    await browser.call("GET", "/console/session"),
    await browser.daemon("GET", "/v1/agents"),
    await browser.platform("GET", "/api/v1/me"),
    await browser.platform("GET", "/api/v1/admin/audit"),
  ];
  const log = argosy.logged();
  for (const secret of [link, browser.key, browser.cookie.split("=")[1] ?? ""]) {
    expect(log).not.toContain(secret);
    for (const { text } of answers) expect(text).not.toContain(secret);
  }
  for (const { text } of [begun, ...answers]) expect(text).not.toMatch(/eyJ|accessToken|refreshToken/);
});
