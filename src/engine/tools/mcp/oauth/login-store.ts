import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";

/** Data of our login at a server; all of it is secret. */
export interface Login {
  /** Our registration at the authorization server. */
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  /** The authorization server, as the server named it when the login was made. */
  discovery?: OAuthDiscoveryState;
  /** Scopes that the server has missed: the next login asks for them. */
  missingScope?: string;
}

/** Stores logins by the server's key. */
export interface LoginStore {
  get(server: string): Login | undefined;
  /** Throws AppError `logins_unsealed` if there is no key to seal them with. */
  set(server: string, login: Login | undefined): void;
}

/** Logins in memory. */
export function memoryLogins(): LoginStore {
  const logins = new Map<string, Login>();
  return {
    get: (server) => logins.get(server),
    set(server, login) {
      if (login === undefined) logins.delete(server);
      else logins.set(server, login);
    },
  };
}
