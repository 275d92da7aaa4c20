import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";

/** What is known of our login at a server: all of it secret. */
export interface Login {
  /** Who we are to the authorization server. */
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  /** Which authorization server that is, as the server said when the login was made. */
  discovery?: OAuthDiscoveryState;
}

/** Keeps logins, by the server's key. */
export interface LoginStore {
  get(server: string): Login | undefined;
  /** Throws AppError `logins_unsealed` where there is no key to seal them with. */
  set(server: string, login: Login | undefined): void;
}

/** Logins that last as long as the process. */
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
