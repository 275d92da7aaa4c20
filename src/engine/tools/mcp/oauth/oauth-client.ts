import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import { AppError } from "../../../../kit/app-error.ts";
import { describeForeignMetadata } from "./describe-login-fault.ts";
import type { Login } from "./login-store.ts";

export interface OAuthClientOptions {
  login: Login;
  /** Called after every change of the login. */
  changed: (login: Login) => void;
  redirectUri: string;
  /** A client that was registered by hand; absent: one is registered when it is needed. */
  registered: OAuthClientInformationMixed | undefined;
  state: string;
  /** Receives the address at which a person has to authorize it. */
  ask: (authorizationUrl: URL) => void;
}

/** One authorization or renewal, as a client for the SDK's helpers. */
export function createOAuthClient(options: OAuthClientOptions): OAuthClientProvider {
  const { changed, redirectUri, registered, state, ask } = options;
  let { login } = options;
  let verifier = "";
  const change = (part: Partial<Login>) => {
    login = { ...login, ...part };
    changed(login);
  };
  const forget = (...parts: (keyof Login)[]) => {
    const kept = { ...login };
    for (const part of parts) delete kept[part];
    login = kept;
    changed(login);
  };
  return {
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: "Argosy",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      // Authorization servers of OpenID Connect refuse a redirect to this machine otherwise. The SDK's type lacks the field.
      ...{ application_type: "native" },
    },
    state: () => state,
    clientInformation: () => registered ?? login.client,
    ...(registered === undefined && {
      saveClientInformation: (client: OAuthClientInformationMixed) => change({ client }),
    }),
    tokens: () => login.tokens,
    saveTokens: (tokens) => change({ tokens }),
    redirectToAuthorization: ask,
    saveCodeVerifier(code) {
      verifier = code;
    },
    codeVerifier: () => verifier,
    discoveryState: () => login.discovery,
    saveDiscoveryState(discovery) {
      requireOwnMetadata(discovery);
      change({ discovery });
    },
    invalidateCredentials(scope) {
      if (scope === "all") forget("client", "tokens", "discovery");
      if (scope === "client" || scope === "tokens" || scope === "discovery") forget(scope);
      if (scope === "verifier") verifier = "";
    },
  };
}

/**
 * Throws AppError `mcp_login_failed` if the metadata of an authorization server names another issuer (RFC 8414, section 3.3): it could send
 * the login elsewhere. The root of an address may have a slash or none.
 */
function requireOwnMetadata({
  authorizationServerUrl,
  authorizationServerMetadata,
}: OAuthDiscoveryState): void {
  const issuer = authorizationServerMetadata?.issuer;
  const ends = [
    authorizationServerUrl,
    `${authorizationServerUrl}/`,
    authorizationServerUrl.replace(/\/$/, ""),
  ];
  if (issuer === undefined || ends.includes(issuer)) return;
  throw new AppError(
    "upstream_failed",
    "mcp_login_failed",
    describeForeignMetadata(authorizationServerUrl, issuer),
  );
}
