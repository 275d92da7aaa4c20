import { describe, expect, test } from "bun:test";
import type { McpServer } from "../../../../../src/engine/tools/mcp/mcp-server.ts";
import { memoryLogins } from "../../../../../src/engine/tools/mcp/oauth/login-store.ts";
import type { ServerAddress } from "../../../../../src/engine/tools/mcp/server-address.ts";
import type { GuardedNetwork } from "../../../../../src/engine/tools/network/guarded-network.ts";
import { AppError } from "../../../../../src/kit/app-error.ts";
import { meanwhile, patient, realDoor, stageServers } from "../../../../support/mcp-servers.ts";
import { eventsOf, startHttpServer } from "../../../../support/staged-mcp-http.ts";
import { type OAuthServer, startOAuthServer } from "../../../../support/staged-oauth.ts";

const callback = "http://127.0.0.1:9/callback";
const addressOf = (url: string, headers = {}): ServerAddress => ({
  transport: "http",
  url,
  headers,
  allowsLoopback: true,
});

/** Logs in like a user who allows everything. */
async function logIn(server: McpServer, oauth: OAuthServer): Promise<void> {
  const request = await server.login?.begin(callback);
  const { searchParams } = await oauth.allow(request?.authorizationUrl ?? "");
  const { state = "", code = "" } = Object.fromEntries(searchParams);
  await server.login?.finish({ state, code });
  await server.reconnect();
}

const wantsLogin = expect.stringContaining("log in to it by `argosy mcp login`");
const letIn = { content: [{ type: "text", text: "let in" }] };

test("a server that asks who we are is down until somebody logs in", async () => {
  await using oauth = await startOAuthServer();
  await using stage = stageServers();
  const server = await stage.started(addressOf(oauth.url));
  expect(server.status()).toMatchObject({ state: "down", fault: wantsLogin });
  await logIn(server, oauth);
  expect(server.status().state).toBe("ready");
  expect(await server.call("echo", {}, patient())).toEqual(letIn);
  expect(oauth.lastGrant()?.get("resource")).toBe(oauth.url);
  expect([...stage.concealed]).toEqual(["access-token-1-of-the-test", "refresh-token-1-of-the-test"]);
});

test("a token that has expired is renewed, once for all calls that wait", async () => {
  await using oauth = await startOAuthServer();
  await using stage = stageServers();
  const server = await stage.started(addressOf(oauth.url));
  await logIn(server, oauth);
  oauth.expire();
  const calls = await Promise.all(Array.from({ length: 10 }, () => server.call("echo", {}, patient())));
  expect(calls).toEqual(Array(10).fill(letIn));
  expect(oauth.grants).toEqual({ authorization_code: 1, refresh_token: 1 });
});

test("a login that can't be renewed fails calls, and asks for a new one", async () => {
  await using oauth = await startOAuthServer();
  await using stage = stageServers();
  const server = await stage.started(addressOf(oauth.url));
  await logIn(server, oauth);
  oauth.expire();
  oauth.refuseRenewals();
  const thrown = await server.call("echo", {}, patient()).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Error);
  await server.reconnect();
  expect(server.status()).toMatchObject({ state: "down", fault: wantsLogin });
  await logIn(server, oauth);
  expect(await server.call("echo", {}, patient())).toEqual(letIn);
});

describe("a token that expires before the rest of a broken answer is asked for", () => {
  /** Breaks each answer after its first event, and expires the token with it. */
  const startBreakingServer = async () => {
    const oauth: OAuthServer = await startOAuthServer({
      answers: {
        call() {
          oauth.expire();
          return { events: "retry: 1\nid: 7\ndata:\n\n" };
        },
        get({ headers }) {
          if (!headers.has("last-event-id")) return new Response(null, { status: 405 });
          const { id } = oauth.messages("tools/call")[0] as { id: number };
          return eventsOf(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: letIn })}\n\n`);
        },
      },
    });
    return oauth;
  };

  test("is renewed, and the answer is continued", async () => {
    await using oauth = await startBreakingServer();
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url));
    await logIn(server, oauth);
    expect(await meanwhile(stage.clock, server.call("echo", {}, patient()))).toEqual(letIn);
    expect(oauth.grants).toEqual({ authorization_code: 1, refresh_token: 1 });
    expect(oauth.messages("tools/call")).toHaveLength(1);
  });

  test("fails the call if it can't be renewed", async () => {
    await using oauth = await startBreakingServer();
    oauth.refuseRenewals();
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url));
    await logIn(server, oauth);
    const call = server.call("echo", {}, patient()).catch((thrown: unknown) => thrown);
    expect(await meanwhile(stage.clock, call)).toMatchObject({
      message: expect.stringContaining("ended before the result"),
    });
    await server.reconnect();
    expect(server.status()).toMatchObject({ state: "down", fault: wantsLogin });
  });
});

test("a login outlives the process where it is kept, and ends when it is forgotten", async () => {
  await using oauth = await startOAuthServer();
  const logins = memoryLogins();
  {
    await using stage = stageServers({ logins });
    await logIn(await stage.started(addressOf(oauth.url)), oauth);
  }
  await using stage = stageServers({ logins });
  const server = await stage.started(addressOf(oauth.url));
  expect(server.status().state).toBe("ready");
  server.login?.forget();
  await server.reconnect();
  expect(server.status().fault).toEqual(wantsLogin);
});

test("credentials of the entry are used as they are", async () => {
  await using oauth = await startOAuthServer();
  const logins = memoryLogins();
  await using stage = stageServers({ logins });
  await logIn(await stage.started(addressOf(oauth.url)), oauth);
  const own = await stage.started(addressOf(oauth.url, { Authorization: "Bearer of the entry" }));
  expect(own.status().fault).toEqual(wantsLogin);
  expect(oauth.grants.refresh_token).toBe(0);
});

describe("an answer is taken only", () => {
  const thrownBy = (work: Promise<unknown> | undefined) =>
    Promise.resolve(work).catch((thrown: unknown) => thrown);

  test("once, and by who asked", async () => {
    await using oauth = await startOAuthServer();
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url));
    const request = await server.login?.begin(callback);
    const { searchParams } = await oauth.allow(request?.authorizationUrl ?? "");
    const { state = "", code = "" } = Object.fromEntries(searchParams);
    for (const answer of [
      { state: "made up", code },
      { state, code: "made up" },
      { state, code },
    ]) {
      expect(await thrownBy(server.login?.finish(answer))).toMatchObject({ code: "mcp_login_failed" });
    }
  });

  test("from the server that was asked", async () => {
    await using oauth = await startOAuthServer();
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url));
    const request = await server.login?.begin(callback);
    const { searchParams } = await oauth.allow(request?.authorizationUrl ?? "");
    const { state = "", code = "" } = Object.fromEntries(searchParams);
    const thrown = await thrownBy(server.login?.finish({ state, code, iss: "https://evil.example" }));
    expect(thrown).toMatchObject({ code: "mcp_login_failed" });
    expect(oauth.grants.authorization_code).toBe(0);
  });

  test("within ten minutes", async () => {
    await using oauth = await startOAuthServer();
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url));
    const request = await server.login?.begin(callback);
    const { searchParams } = await oauth.allow(request?.authorizationUrl ?? "");
    const { state = "", code = "" } = Object.fromEntries(searchParams);
    await stage.clock.advance(600_000);
    expect(await thrownBy(server.login?.finish({ state, code }))).toMatchObject({ code: "mcp_login_failed" });
  });

  test.each([
    "https://example.org/callback",
    "http://10.0.0.1/callback",
    "http://127.0.0.1.evil.example/",
    "x",
  ])("on this machine: %s is refused", async (redirectUri) => {
    await using stage = stageServers();
    const server = stage.server(addressOf("http://127.0.0.1:9/mcp"));
    expect(await thrownBy(server.login?.begin(redirectUri))).toMatchObject({ code: "invalid_redirect_uri" });
  });
});

describe("discovery goes through the guarded door (mcp_hostile-033)", () => {
  test.each([
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1/metadata",
    "http://[fe80::1]/",
    "file:///etc/passwd",
  ])("metadata at %s is asked for there, and refused", async (resourceMetadata) => {
    await using oauth = await startOAuthServer({ resourceMetadata });
    const door = realDoor();
    const refused: string[] = [];
    const network: GuardedNetwork = {
      request: door.request,
      fetch: (url, ...rest) =>
        door.fetch(url, ...rest).catch((thrown: unknown) => {
          if (thrown instanceof AppError && thrown.code === "network_refused") refused.push(url);
          throw thrown;
        }),
    };
    await using stage = stageServers({ network });
    const server = await stage.started(addressOf(oauth.url));
    await Promise.resolve(server.login?.begin(callback)).catch(() => undefined);
    expect(refused).toContain(resourceMetadata);
  });

  test("a server that knows no OAuth fails the login with words", async () => {
    await using remote = startHttpServer(() => new Response(null, { status: 401 }));
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    const thrown = await Promise.resolve(server.login?.begin(callback)).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "mcp_login_failed" });
  });
});
