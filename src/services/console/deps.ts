import type { CloudTokens } from "../../contracts/cloud/auth.ts";
import type { CloudSignIn } from "../../contracts/console/session.ts";
import type { SignedIn } from "../../contracts/platform/auth.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { BundleSource } from "./assets/console-bundle.ts";
import type { SessionBook } from "./sessions/session-book.ts";
import type { SessionLinks } from "./sessions/session-links.ts";
import type { TokenAttempts } from "./sessions/token-attempts.ts";
import type { ConsoleTargets } from "./targets.ts";

/** Sign-in to the cloud. */
export interface MemberSignIn {
  ways: CloudSignIn;
  /** Signs in this machine's owner, with an org of their own. */
  openOwnerSession: () => Promise<CloudTokens>;
}

/** Dependencies of the console, shared by all services of a process. */
export interface ConsoleDeps {
  version: string;
  clock: Clock;
  newId: NewId;
  log: Logger;
  bundles: BundleSource;
  sessions: SessionBook;
  links: SessionLinks;
  attempts: TokenAttempts;
  targets: ConsoleTargets;
  /** True if the services use TLS. */
  secure: boolean;
  apiToken: string | undefined;
  operatorToken: string | undefined;
  /** Token of the gateway's operators. */
  adminToken: string | undefined;
  /** True if the service where people sign in accepts new accounts. */
  registration: boolean;
  /** Signs in this machine's owner where people sign in; undefined without such a service. */
  ownerSession: (() => Promise<SignedIn>) | undefined;
  /** The cloud's sign-in; undefined without a cloud, or if it has no keys for tokens. */
  members: MemberSignIn | undefined;
  /** Returns the URL of the console on this machine. */
  url: () => string;
}
