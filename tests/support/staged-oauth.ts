import { type Answers, type HttpServer, result, startHttpServer } from "./staged-mcp-http.ts";

export interface OAuthServer extends AsyncDisposable, Pick<HttpServer, "messages"> {
  /** URL of the MCP server, which requires a token. */
  url: string;
  /** Expires the present token: only a renewal, or a new login, gives another. */
  expire(): void;
  /** Refuses renewals from now on. */
  refuseRenewals(): void;
  /** Number of issued tokens, by kind of grant. */
  grants: { authorization_code: number; refresh_token: number };
  /** Returns the last request to the token endpoint. */
  lastGrant(): URLSearchParams | undefined;
  /** Opens the page as a browser whose user allows it, and returns the redirect's address. */
  allow(authorizationUrl: string): Promise<URL>;
}

export interface OAuthOptions {
  /** The server's claim about the address of its metadata; by default the right one. */
  resourceMetadata?: string;
  /** The server's claim about its own address; by default the right one. */
  resource?: string;
  /** Absent: anybody may register a client. Otherwise only this one is known, by its secret if it has one. */
  client?: { id: string; secret?: string };
  /** Scopes that calls need: a token without them is answered 403. */
  scopes?: { needed: string; supported?: readonly string[] };
  /** Fields of the authorization server's metadata that differ. */
  metadata?: Record<string, unknown>;
  /** The MCP server's answers; by default, each call gets the text `let in`. */
  answers?: Answers;
}

/** Starts an MCP server and its authorization server, on one loopback port. */
export async function startOAuthServer(options: OAuthOptions = {}): Promise<OAuthServer> {
  const mcp = startHttpServer(options.answers ?? { call: () => ({ json: result("let in") }) });
  const grants = { authorization_code: 0, refresh_token: 0 };
  let token = "";
  let count = 0;
  let renews = true;
  let lastGrant: URLSearchParams | undefined;
  const codes = new Map<string, string>();
  /** Scopes by code, and those of the present token. */
  const scopes = new Map<string, string>();
  let granted = "";

  const give = (kind: keyof typeof grants) => {
    grants[kind]++;
    count++;
    token = `access-token-${count}-of-the-test`;
    return Response.json({
      access_token: token,
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: `refresh-token-${count}-of-the-test`,
    });
  };
  const exchange = (sent: URLSearchParams): Response => {
    lastGrant = sent;
    const { client } = options;
    if (
      client &&
      (sent.get("client_id") !== client.id || sent.get("client_secret") !== (client.secret ?? null))
    )
      return Response.json({ error: "invalid_client" }, { status: 401 });
    granted = scopes.get(sent.get("code") ?? "") ?? granted;
    const challenge = codes.get(sent.get("code") ?? "");
    const verifier = sent.get("code_verifier") ?? "";
    const proven = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url") === challenge;
    if (sent.get("grant_type") === "authorization_code" && proven) return give("authorization_code");
    const isLatest = sent.get("refresh_token") === `refresh-token-${count}-of-the-test`;
    if (sent.get("grant_type") === "refresh_token" && isLatest && renews) return give("refresh_token");
    return Response.json({ error: "invalid_grant" }, { status: 400 });
  };

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const url = new URL(request.url);
      const base = url.origin;
      switch (url.pathname) {
        case "/.well-known/oauth-protected-resource":
          return Response.json({
            resource: options.resource ?? `${base}/mcp`,
            authorization_servers: [base],
            ...(options.scopes?.supported && { scopes_supported: options.scopes.supported }),
          });
        case "/.well-known/oauth-authorization-server":
          return Response.json({
            issuer: base,
            authorization_endpoint: `${base}/authorize`,
            token_endpoint: `${base}/token`,
            ...(options.client === undefined && { registration_endpoint: `${base}/register` }),
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
            token_endpoint_auth_methods_supported: [
              options.client?.secret === undefined ? "none" : "client_secret_post",
            ],
            ...options.metadata,
          });
        case "/register":
          return Response.json(
            { ...((await request.json()) as object), client_id: "argosy-of-the-test" },
            { status: 201 },
          );
        case "/authorize": {
          const to = new URL(url.searchParams.get("redirect_uri") ?? "");
          const code = `code-${codes.size}`;
          codes.set(code, url.searchParams.get("code_challenge") ?? "");
          scopes.set(code, url.searchParams.get("scope") ?? "");
          to.searchParams.set("code", code);
          to.searchParams.set("state", url.searchParams.get("state") ?? "");
          return Response.redirect(to.href);
        }
        case "/token":
          return exchange(new URLSearchParams(await request.text()));
        case "/mcp": {
          const metadata = options.resourceMetadata ?? `${base}/.well-known/oauth-protected-resource`;
          const headers = { "www-authenticate": `Bearer resource_metadata="${metadata}"` };
          if (token === "" || request.headers.get("authorization") !== `Bearer ${token}`) {
            return new Response("Who are you?", { status: 401, headers });
          }
          const { method, headers: sent } = request;
          const body = method === "POST" ? await request.text() : undefined;
          const { needed } = options.scopes ?? {};
          if (needed && body?.includes('"tools/call"') && !granted.split(" ").includes(needed)) {
            const challenge = `Bearer error="insufficient_scope", scope="${needed}", resource_metadata="${metadata}"`;
            return new Response("Not for you.", { status: 403, headers: { "www-authenticate": challenge } });
          }
          return fetch(mcp.url, { method, headers: sent, ...(body === undefined ? {} : { body }) });
        }
        default:
          return new Response(null, { status: 404 });
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    expire: () => {
      token = "";
    },
    refuseRenewals: () => {
      renews = false;
    },
    grants,
    messages: mcp.messages,
    lastGrant: () => lastGrant,
    async allow(authorizationUrl) {
      const { headers } = await fetch(authorizationUrl, { redirect: "manual" });
      return new URL(headers.get("location") ?? "");
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await mcp[Symbol.asyncDispose]();
    },
  };
}
