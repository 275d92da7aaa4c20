import { randomBytes } from "node:crypto";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import type { Logger } from "../../../../kit/log.ts";
import type { GuardedNetwork } from "../../network/guarded-network.ts";
import type { OAuthClient } from "../server-address.ts";
import {
  describeLoginFault,
  describeMissing,
  describeOtherIssuer,
  faultOfIssuer,
} from "./describe-login-fault.ts";
import type { Login, LoginStore } from "./login-store.ts";
import { createOAuthClient } from "./oauth-client.ts";

export interface LoginPorts {
  clock: Clock;
  log: Logger;
  network: Pick<GuardedNetwork, "fetch">;
  logins: LoginStore;
  /** Masks a secret in everything that is written. */
  conceal: (secret: string) => void;
}

/** Address that a person has to open, and the state that identifies the answer. */
export interface LoginRequest {
  authorizationUrl: string;
  state: string;
}

/** Parameters with which the authorization server redirected the person back. */
export interface LoginAnswer {
  state: string;
  code: string;
  /** The issuer, if sent (RFC 9207). */
  iss?: string;
}

interface Pending {
  client: OAuthClientProvider;
  login: () => Login;
  /** Scopes that are asked for; servers that grant them all need not name them. */
  scope: string | undefined;
  untilMs: number;
}

const pendingMs = 600_000;
const answerMs = 15_000;
const answerBytesMax = 1024 * 1024;

/** Our OAuth login at one server, as specified by MCP. Used only if the server answers 401, or 403 for lack of a scope. */
export class ServerLogin {
  readonly #key: string;
  readonly #url: URL;
  readonly #allowsLoopback: boolean;
  readonly #registered: OAuthClientInformationMixed | undefined;
  readonly #scopes: readonly string[];
  readonly #ports: LoginPorts;
  #pending = new Map<string, Pending>();
  #renewal: Promise<boolean> | undefined;

  constructor(
    key: string,
    { url, allowsLoopback, oauth }: { url: string; allowsLoopback: boolean; oauth?: OAuthClient },
    ports: LoginPorts,
  ) {
    this.#key = key;
    this.#url = new URL(url);
    this.#allowsLoopback = allowsLoopback;
    this.#scopes = oauth?.scopes ?? [];
    this.#registered = oauth && {
      client_id: oauth.clientId,
      ...(oauth.clientSecret !== undefined && { client_secret: oauth.clientSecret }),
    };
    this.#ports = ports;
  }

  /** The bearer token; undefined if there is no login. */
  token(): string | undefined {
    return this.#ports.logins.get(this.#key)?.tokens?.access_token;
  }

  /**
   * Called after a request with the token `used` was answered 401. Returns true if there is another token now. Concurrent callers share one
   * renewal.
   */
  async renew(used: string | undefined, refusal: Response): Promise<boolean> {
    if (this.token() !== used) return this.token() !== undefined;
    if (used === undefined) return false;
    this.#renewal ??= this.#refresh(refusal).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Scopes that the server has missed in the present login. */
  missingScope(): string | undefined {
    return this.#ports.logins.get(this.#key)?.missingScope;
  }

  /**
   * Called after a request was answered 403. Throws AppError `mcp_scope_missing` if the login lacks a scope: no renewal widens one, so a
   * person has to log in again, and is then asked for that scope too.
   */
  async requireScope({ status, headers }: Response): Promise<void> {
    const { error, scope } = status === 403 ? await challengeOf(new Response(null, { status, headers })) : {};
    if (error !== "insufficient_scope") return;
    const login = this.#ports.logins.get(this.#key);
    const missing = joined(login?.missingScope, scope);
    if (login?.tokens !== undefined && missing !== undefined && missing !== login.missingScope)
      this.#keep({ ...login, missingScope: missing });
    throw new AppError("forbidden", "mcp_scope_missing", describeMissing(scope));
  }

  /** Finds the authorization server and the address that a person has to open. Throws AppError `mcp_login_failed`. */
  async begin(redirectUri: string): Promise<LoginRequest> {
    requireLoopback(redirectUri);
    const { clock } = this.#ports;
    const state = randomBytes(32).toString("base64url");
    let login: Login = {};
    let asked: URL | undefined;
    const client = createOAuthClient({
      login,
      changed: (changed) => {
        login = changed;
      },
      redirectUri,
      registered: this.#registered,
      state,
      ask: (url) => {
        asked = url;
      },
    });
    const known = this.#ports.logins.get(this.#key);
    await this.#authorize(client, await this.#refusal(), {
      scope: joined(known?.missingScope, known?.tokens?.scope, ...this.#scopes),
    });
    if (asked === undefined || !/^https?:$/.test(asked.protocol))
      throw loginFailed("it names no page to log in at");
    this.#requireSameIssuer(known, login);
    this.#forgetStale();
    const scope = asked.searchParams.get("scope") ?? undefined;
    this.#pending.set(state, { client, login: () => login, scope, untilMs: clock.monotonicMs() + pendingMs });
    return { authorizationUrl: asked.href, state };
  }

  /** Exchanges the authorization code for tokens and stores them. Throws AppError `mcp_login_failed`. */
  async finish({ state, code, iss }: LoginAnswer): Promise<void> {
    this.#forgetStale();
    const pending = this.#pending.get(state);
    this.#pending.delete(state);
    if (pending === undefined) throw loginFailed("no sign-in is waiting for this answer; sign in again");
    const metadata = pending.login().discovery?.authorizationServerMetadata;
    const fault = faultOfIssuer(iss, metadata);
    if (fault !== undefined) throw loginFailed(fault);
    await this.#authorize(pending.client, undefined, { authorizationCode: code });
    const { tokens, ...login } = pending.login();
    const scope = tokens?.scope ?? pending.scope;
    this.#keep({ ...login, ...(tokens && { tokens: { ...tokens, ...(scope !== undefined && { scope }) } }) });
  }

  forget(): void {
    this.#ports.logins.set(this.#key, undefined);
  }

  async #refresh(refusal: Response): Promise<boolean> {
    const login = this.#ports.logins.get(this.#key);
    if (login?.tokens?.refresh_token === undefined) return false;
    let isAsked = false;
    const client = createOAuthClient({
      login,
      changed: (changed) => this.#keep(changed),
      redirectUri: "http://127.0.0.1/",
      registered: this.#registered,
      state: "",
      ask: () => {
        isAsked = true;
      },
    });
    try {
      await this.#authorize(client, refusal);
      return !isAsked;
    } catch (thrown) {
      this.#ports.log.warn("mcp.login_expired", { server: this.#url.host, err: thrown });
      return false;
    }
  }

  async #authorize(
    client: OAuthClientProvider,
    refusal: Response | undefined,
    { authorizationCode, scope: wanted }: { authorizationCode?: string; scope?: string | undefined } = {},
  ) {
    const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
    const { resourceMetadataUrl, scope: named } = refusal === undefined ? {} : await challengeOf(refusal);
    const scope = joined(named, wanted);
    try {
      await auth(client, {
        serverUrl: this.#url,
        fetchFn: this.#fetch,
        ...(resourceMetadataUrl && { resourceMetadataUrl }),
        ...(scope === undefined ? {} : { scope }),
        ...(authorizationCode === undefined ? {} : { authorizationCode }),
      });
    } catch (thrown) {
      if (thrown instanceof AppError) throw loginFailed(thrown.message, thrown);
      throw loginFailed(describeLoginFault(thrown, this.#registered !== undefined), thrown);
    }
  }

  /** A client that somebody registered belongs to one authorization server: its secret is sent to no other. */
  #requireSameIssuer(known: Login | undefined, { discovery }: Login): void {
    const before = known?.discovery?.authorizationServerUrl;
    const now = discovery?.authorizationServerUrl;
    if (this.#registered === undefined || before === undefined || now === undefined || before === now) return;
    throw loginFailed(describeOtherIssuer(before, now));
  }

  /** The server's answer to a request without a login. */
  async #refusal(): Promise<Response | undefined> {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" });
    const answer = await this.#fetch(this.#url, { method: "POST", headers, body: ping }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    return answer?.status === 401 ? answer : undefined;
  }

  readonly #fetch: FetchLike = (url, init = {}) =>
    this.#ports.network.fetch(
      new URL(url, this.#url).href,
      { ...init, redirect: "manual" },
      {
        redirectsMax: 0,
        headTimeoutMs: answerMs,
        bodyBytesMax: answerBytesMax,
        allowsLoopback: this.#allowsLoopback,
      },
    );

  #keep(login: Login): void {
    const { logins, conceal } = this.#ports;
    const secrets = [login.tokens?.access_token, login.tokens?.refresh_token, login.client?.client_secret];
    for (const secret of secrets) if (secret !== undefined) conceal(secret);
    logins.set(this.#key, login);
  }

  #forgetStale(): void {
    const nowMs = this.#ports.clock.monotonicMs();
    for (const [state, { untilMs }] of this.#pending) if (untilMs <= nowMs) this.#pending.delete(state);
  }
}

async function challengeOf(refusal: Response) {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/sdk/client/auth.js");
  return extractWWWAuthenticateParams(refusal);
}

/** All scopes of the texts, each once; undefined if there are none. */
function joined(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = new Set(scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((scope) => scope !== ""));
  return all.size === 0 ? undefined : [...all].join(" ");
}

/** The returned code grants a login, so it may be sent to this machine only. */
function requireLoopback(redirectUri: string): void {
  const url = URL.parse(redirectUri);
  if (url?.protocol === "http:" && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname)) return;
  throw new AppError(
    "invalid",
    "invalid_redirect_uri",
    "redirect_uri must lead to this machine: http://127.0.0.1:….",
  );
}

function loginFailed(reason: string, cause?: unknown): AppError {
  return new AppError(
    "upstream_failed",
    "mcp_login_failed",
    `The login failed: ${reason.replace(/\.$/, "")}.`,
    {
      cause,
    },
  );
}
