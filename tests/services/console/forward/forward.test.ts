import { describe, expect, test } from "bun:test";
import type { ConsoleBrowser } from "../../../support/console-browser.ts";
import { startConsole, type TestConsole } from "../../../support/console-server.ts";
import { agentFile } from "../../../support/daemon.ts";
import { rawRequest } from "../../../support/raw-http.ts";

const apiToken = "api-token-of-at-least-thirty-two-bytes";

async function owner(
  argosy: TestConsole,
  service: "daemon" | "platform" = "daemon",
): Promise<ConsoleBrowser> {
  const browser = argosy.browser(service);
  await browser.begin({ link: await argosy.link() });
  return browser;
}

describe("calls", () => {
  test("of every method reach the service with body, query and tenant, and its answers come back", async () => {
    await using argosy = await startConsole();
    const browser = await owner(argosy);
    const made = await browser.platform("POST", "/api/v1/tenants", { body: { displayName: "Team" } });
    expect(made.status).toBe(201);
    const { id } = made.body;
    const renamed = await browser.platform("PATCH", `/api/v1/tenants/${id}`, {
      body: { displayName: "Crew" },
    });
    expect(renamed.body.displayName).toBe("Crew");
    const asTenant = { headers: { "x-tenant-id": id } };
    expect((await browser.platform("GET", "/api/v1/agents?limit=5", asTenant)).status).toBe(200);
    expect((await browser.platform("GET", "/api/v1/agents")).body.error).toBe("tenant_required");
    expect((await browser.platform("DELETE", `/api/v1/tenants/${id}`)).status).toBe(204);
    const head = await browser.daemon("HEAD", "/v1/agents");
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("answers can do nothing to the console's origin", async () => {
    await using argosy = await startConsole();
    const browser = await owner(argosy);
    for (const path of ["/v1/agents", "/docs", "/v1/nothing"]) {
      const { headers } = await browser.daemon("GET", path);
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("set-cookie")).toBeNull();
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("errors are the service's own: an invalid body is 400, a wrong method 405", async () => {
    await using argosy = await startConsole();
    const browser = await owner(argosy);
    const direct = await fetch(`${argosy.url("daemon")}/v1/agents/none/run`, {
      method: "POST",
      body: '{"query":"x"}',
    });
    const { status, body } = await browser.daemon("POST", "/v1/agents/none/run", { body: { query: "x" } });
    expect([status, body]).toEqual([direct.status, await direct.json()]);
    expect((await browser.daemon("POST", "/v1/agents/helper/run", { body: "{" })).status).toBe(400);
    expect((await browser.daemon("PATCH", "/v1/agents")).status).toBe(405);
  });

  test("a run streams its events as they come", async () => {
    await using argosy = await startConsole({ services: ["daemon"] });
    const browser = argosy.browser();
    await browser.begin({});
    const { headers, text } = await browser.daemon("POST", "/v1/agents/helper/run", {
      body: { query: "Hello?" },
      headers: { accept: "text/event-stream" },
    });
    expect(headers.get("content-type")).toStartWith("text/event-stream");
    expect(text).toContain('"type":"token"');
    expect(text).toContain('"type":"done"');
  });

  test("a body of 2 MB is 413, from the service", async () => {
    await using argosy = await startConsole({ services: ["daemon"] });
    const browser = argosy.browser();
    await browser.begin({});
    const body = { query: "x".repeat(2_000_000) };
    expect((await browser.daemon("POST", "/v1/agents/helper/run", { body })).status).toBe(413);
  });
});

describe("manifests that a page sends", () => {
  const risky = agentFile("risky", {
    model: { primary: { provider: "rehearsal", model: "rehearsal" } },
    tools: [{ name: "read_file", type: "builtin", config: { allowed_paths: ["/tmp"] } }],
  });
  const send = (browser: ConsoleBrowser) => browser.daemon("POST", "/v1/agents", { body: risky });

  test("are the owner's in a session that was opened by the link", async () => {
    await using argosy = await startConsole();
    expect((await send(await owner(argosy))).status).toBe(201);
  });

  test("are a stranger's in a session without the API token: 400", async () => {
    await using argosy = await startConsole({ services: ["daemon"] });
    const browser = argosy.browser();
    await browser.begin({});
    const refused = await send(browser);
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_manifest"]);
  });

  test("in a session that was opened by an account are 403", async () => {
    await using argosy = await startConsole();
    const account = { email: "ada@example.com", password: "correct horse" };
    const made = { ...account, displayName: "Ada" };
    const registered = await fetch(`${argosy.url("platform")}/auth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(made),
    });
    expect(registered.status).toBe(201);
    const browser = argosy.browser();
    expect((await browser.begin(account)).status).toBe(201);
    const refused = await send(browser);
    expect([refused.status, refused.body.error]).toEqual([403, "not_granted"]);
  });

  test.each([undefined, "token"] as const)(
    "of a session that was opened by the API token are the owner's only where it is trusted (%s), otherwise 400",
    async (trusted) => {
      const configure = (config: TestConsole["config"]) => ({
        ...config,
        access: { ...config.access, apiToken },
        runtime: {
          ...config.runtime,
          spec: { ...config.runtime.spec, ...(trusted && { agents: { trusted_senders: trusted } }) },
        },
      });
      await using argosy = await startConsole({ services: ["daemon"], configure });
      const browser = argosy.browser();
      expect((await browser.begin({ token: apiToken })).status).toBe(201);
      expect((await send(browser)).status).toBe(trusted === undefined ? 400 : 201);
    },
  );
});

describe("credentials", () => {
  test("that a page sends itself are not forwarded: 403", async () => {
    const configure = (config: TestConsole["config"]) => ({
      ...config,
      access: { ...config.access, apiToken, allowedHosts: ["console.example"] },
      platform: { ...config.platform, registration: "open" as const },
    });
    await using argosy = await startConsole({ configure });
    const ada = argosy.browser("platform");
    await ada.begin({ email: "ada@example.com", password: "correct horse", display_name: "Ada" });
    const smuggled = [
      { authorization: `Bearer ${apiToken}` },
      { "x-api-key": "apk_another" },
      { "x-operator-token": "another" },
    ];
    const { id } = (await ada.platform("GET", "/api/v1/me")).body;
    for (const headers of smuggled) {
      expect((await ada.platform("GET", "/api/v1/me", { headers })).body.id).toBe(id);
      expect((await ada.daemon("GET", "/v1/agents", { headers })).status).toBe(403);
    }
  });

  test("are none on the daemon for a session of the platform alone, however local it is", async () => {
    await using argosy = await startConsole();
    const ada = argosy.browser("platform");
    await ada.begin({ email: "ada@example.com", password: "correct horse", display_name: "Ada" });
    // Any client may use the daemon's own port here; its pages are not those of the platform.
    expect((await fetch(`${argosy.url("daemon")}/v1/agents`)).status).toBe(200);
    expect((await ada.daemon("GET", "/v1/agents")).body.error).toBe("not_granted");
  });

  test("the API token of a signed-in page is sent on, and opens an exposed daemon", async () => {
    const configure = (config: TestConsole["config"]) => ({
      ...config,
      access: { ...config.access, apiToken, allowedHosts: ["console.example"] },
    });
    await using argosy = await startConsole({ services: ["daemon"], configure });
    const browser = argosy.browser();
    await browser.begin({ token: apiToken });
    const named = { headers: { host: "console.example", origin: "http://console.example" } };
    expect((await browser.daemon("GET", "/v1/agents")).status).toBe(200);
    browser.cookie = browser.cookie.replace(/_\d+=/, "=");
    expect((await browser.daemon("GET", "/v1/agents", named)).status).toBe(200);
  });
});

const closedPaths = [
  "/console/api",
  "/console/api/",
  "/console/api/daemon",
  "/console/api/nothing/v1/agents",
  "/console/api/constructor/v1/agents",
  "/console/api/Daemon/v1/agents",
  "/console/api/daemon//v1/agents",
  "/console/api/daemon/v1/internal/agents",
  "/console/api/daemon/v1/%69nternal/agents",
  "/console/api/daemon/V1/Internal/agents",
  "/console/api/daemon/console/session",
  "/console/api/daemon/v1%2f..%2fconsole/session",
  "/console/api/daemon/v1/..%2f..%2fagents",
  "/console/api/daemon/v1/%2e%2e/%2E%2e/x",
  "/console/api/daemon/v1/.%2e/agents",
  "/console/api/daemon/v1\\..\\agents",
  "/console/api/daemon/v1/..%5cagents",
  "/console/api/daemon/%zz",
  "/console/api/daemon/%00",
  "/console/api/platform/control/operators",
  "/console/api/platform/%63ontrol/operators",
  "/console/api/platform/auth/login",
  "/console/api/platform/auth",
  "/console/api/platform/api/v1/../../control/operators",
  "/console/api/platform/x/../auth/login",
  "/console/api/platform/x/%2e%2E/auth/login",
  "/console/api/daemon/../../healthz",
];

describe("paths", () => {
  test("that are ambiguous or not for pages are 404", async () => {
    await using argosy = await startConsole();
    const browser = await owner(argosy);
    const headers = Object.entries(browser.headers()).map(([name, value]) => `${name}: ${value}`);
    const { host, port } = new URL(browser.origin);
    for (const path of closedPaths) {
      // Raw bytes, because an HTTP client would normalize the path.
      const lines = [`GET ${path} HTTP/1.1`, `host: ${host}`, "connection: close", ...headers, "", ""];
      const { status } = await rawRequest(Number(port), lines.join("\r\n"));
      expect([path, status]).toEqual([path, 404]);
    }
  });

  test("without a session every path is 401, existing or not", async () => {
    await using argosy = await startConsole();
    for (const path of [
      "/console/api/daemon/v1/agents",
      "/console/api/nothing/x",
      "/console/api/daemon/..",
    ]) {
      const { status, body } = await argosy.browser().call("GET", path);
      expect([status, body?.error]).toEqual([401, "session_needed"]);
    }
  });

  test("an encoded slash inside a name stays one", async () => {
    await using argosy = await startConsole({ services: ["daemon"] });
    const browser = argosy.browser();
    await browser.begin({});
    const direct = await fetch(`${argosy.url("daemon")}/v1/agents/a%2Fb`);
    const { status, body } = await browser.daemon("GET", "/v1/agents/a%2Fb");
    expect([status, body]).toEqual([direct.status, await direct.json()]);
  });
});
