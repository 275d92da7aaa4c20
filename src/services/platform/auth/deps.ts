import type { StoreDeps } from "../tables.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { Passwords } from "./passwords.ts";
import type { SlowLanes } from "./slow-lanes.ts";

/** Dependencies of routes that check a credential. */
export interface CredentialDeps extends StoreDeps {
  tokens: Pick<AccessTokens, "verify">;
  /** `PLATFORM_OPERATOR_TOKEN`; if undefined, only people can be operators. */
  operatorToken: string | undefined;
  /** Last uses of keys, written with a delay. */
  keyUses: { note(hash: string): void };
}

/** Dependencies of accounts and sessions. */
export interface AuthDeps extends CredentialDeps {
  tokens: AccessTokens;
  passwords: Passwords;
  /** Queues for sign-ins after many failures. */
  signInLanes: SlowLanes;
  settings: { registration: RegistrationRule };
}

/** Rule for registration: open to all, by invitation, or closed. */
export type RegistrationRules = "open" | "invite" | "closed";

/** Rules for people on this machine and for requests from other machines. */
export interface RegistrationRule {
  here: RegistrationRules;
  beyond: RegistrationRules;
}
