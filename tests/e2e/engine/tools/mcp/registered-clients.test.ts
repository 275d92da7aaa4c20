import { describe, expect, test } from "bun:test";
import type { McpServer } from "../../../../../src/engine/tools/mcp/mcp-server.ts";
import type { OAuthClient, ServerAddress } from "../../../../../src/engine/tools/mcp/server-address.ts";
import { patient, stageServers } from "../../../../support/mcp-servers.ts";
import { type OAuthOptions, type OAuthServer, startOAuthServer } from "../../../../support/staged-oauth.ts";

const callback = "http://127.0.0.1:9/callback";
const addressOf = (url: string, oauth?: OAuthClient): ServerAddress => ({
  transport: "http",
  url,
  headers: {},
  allowsLoopback: true,
  ...(oauth && { oauth }),
});

/** Logs in like a user who allows everything; returns the scopes that were asked for. */
async function logIn(server: McpServer, oauth: OAuthServer): Promise<string | null> {
  const request = await server.login?.begin(callback);
  const address = request?.authorizationUrl ?? "";
  const { searchParams } = await oauth.allow(address);
  const { state = "", code = "" } = Object.fromEntries(searchParams);
  await server.login?.finish({ state, code });
  await server.reconnect();
  return new URL(address).searchParams.get("scope");
}

const thrownBy = (work: Promise<unknown> | undefined) =>
  Promise.resolve(work).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
const failed = (message: string) => ({
  code: "mcp_login_failed",
  message: expect.stringContaining(message),
});

describe("a client of one's own", () => {
  test.each([{ id: "argosy-desk" }, { id: "argosy-desk", secret: "secret-of-the-desk" }])(
    "logs in at a server that registers none: %p",
    async (client) => {
      await using oauth = await startOAuthServer({ client });
      await using stage = stageServers();
      const own = {
        clientId: client.id,
        ...("secret" in client && { clientSecret: client.secret ?? "" }),
        scopes: [],
      };
      const server = await stage.started(addressOf(oauth.url, own));
      await logIn(server, oauth);
      expect(server.status().state).toBe("ready");
      oauth.expire();
      expect(await server.call("echo", {}, patient())).toMatchObject({ content: [{ text: "let in" }] });
      expect(oauth.grants).toEqual({ authorization_code: 1, refresh_token: 1 });
      expect(oauth.lastGrant()?.get("client_id")).toBe("argosy-desk");
    },
  );

  test("is not used with another authorization server until its login is deleted", async () => {
    await using oauth = await startOAuthServer({ client: { id: "argosy-desk" } });
    await using stage = stageServers();
    const own = { clientId: "argosy-desk", scopes: [] };
    const server = await stage.started(addressOf(oauth.url, own));
    await logIn(server, oauth);
    const known = stage.logins.get(server.key);
    const discovery = { ...known?.discovery, authorizationServerUrl: "https://before.example" };
    stage.logins.set(server.key, { ...known, discovery });
    expect(await thrownBy(server.login?.begin(callback))).toMatchObject(
      failed("its authorization server was https://before.example, and is now"),
    );
    server.login?.forget();
    await logIn(server, oauth);
    expect(server.status().state).toBe("ready");
  });

  test("asks for its scopes", async () => {
    await using oauth = await startOAuthServer({ scopes: { needed: "", supported: ["all"] } });
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url, { clientId: "desk", scopes: ["read", "write"] }));
    expect(await logIn(server, oauth)).toBe("read write");
  });

  test("is asked for by name where there is none", async () => {
    await using oauth = await startOAuthServer({ client: { id: "argosy-desk" } });
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url));
    expect(await thrownBy(server.login?.begin(callback))).toMatchObject(failed("config.oauth.client_id"));
  });

  test("that the server does not know is named", async () => {
    await using oauth = await startOAuthServer({ client: { id: "argosy-desk" } });
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url, { clientId: "other", scopes: [] }));
    expect(await thrownBy(logIn(server, oauth))).toMatchObject(failed("invalid_client"));
    expect(server.login?.token()).toBeUndefined();
  });
});

describe("a scope that the login lacks", () => {
  test("fails the call by name, and the next login asks for it and for what was granted before", async () => {
    await using oauth = await startOAuthServer({
      scopes: { needed: "files:write", supported: ["files:read"] },
    });
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url));
    expect(await logIn(server, oauth)).toBe("files:read");
    expect(await thrownBy(server.call("echo", {}, patient()))).toMatchObject({
      code: "mcp_scope_missing",
      message: expect.stringContaining("lacks the scope files:write"),
    });
    expect(server.status()).toMatchObject({ state: "ready", missingScope: "files:write" });
    expect((await logIn(server, oauth))?.split(" ").sort()).toEqual(["files:read", "files:write"]);
    expect(await server.call("echo", {}, patient())).toMatchObject({ content: [{ text: "let in" }] });
    expect(server.status()).not.toHaveProperty("missingScope");
  });
});

describe("a mismatch is named", () => {
  const begin = async (options: OAuthOptions) => {
    await using oauth = await startOAuthServer(options);
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url));
    return await thrownBy(server.login?.begin(callback));
  };

  test("of the server's address", async () => {
    expect(await begin({ resource: "https://elsewhere.example/mcp" })).toMatchObject(
      failed("says that its address is https://elsewhere.example/mcp"),
    );
  });

  test("of what the authorization server supports", async () => {
    expect(await begin({ metadata: { code_challenge_methods_supported: ["plain"] } })).toMatchObject(
      failed("does not support the code challenge method S256"),
    );
    expect(await begin({ metadata: { response_types_supported: ["token"] } })).toMatchObject(
      failed("does not support the response type code"),
    );
  });

  test("of the issuer, with both", async () => {
    await using oauth = await startOAuthServer({
      metadata: { authorization_response_iss_parameter_supported: true },
    });
    await using stage = stageServers();
    const server = await stage.started(addressOf(oauth.url));
    for (const [iss, message] of [
      ["https://evil.example", "came from https://evil.example"],
      [undefined, "does not name its issuer"],
    ] as const) {
      const request = await server.login?.begin(callback);
      const { searchParams } = await oauth.allow(request?.authorizationUrl ?? "");
      const { state = "", code = "" } = Object.fromEntries(searchParams);
      const answer = { state, code, ...(iss !== undefined && { iss }) };
      expect(await thrownBy(server.login?.finish(answer))).toMatchObject(failed(message));
    }
    expect(oauth.grants.authorization_code).toBe(0);
  });
});
