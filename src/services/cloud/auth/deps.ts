import type { AccessTokens } from "../../../storage/access-tokens.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { AccessDeps } from "../access/deps.ts";
import type { GithubSettings } from "./github-sign-in.ts";
import type { GoogleSettings } from "./google-sign-in.ts";

/** Dependencies of accounts and sessions. */
export interface CloudAuthDeps extends AccessDeps {
  tokens: AccessTokens;
  sealer: Sealer | undefined;
  /** Calls the identity providers that the operator configured. */
  identityFetch: (request: Request) => Promise<Response>;
  signIn: SignInSettings;
}

export interface SignInSettings {
  /** `on` and `off` are set by the operator; `local` allows it to callers on this machine. */
  dev: "on" | "off" | "local";
  google: GoogleSettings | undefined;
  github: GithubSettings | undefined;
}

/** Lifetime of an access token. */
export const accessTokenSeconds = 86_400;
