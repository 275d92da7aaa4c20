import type { ConsoleService } from "../../contracts/console/session.ts";
import type { SignedIn } from "../../contracts/platform/auth.ts";
import type { Access, FrontDoor } from "../../http/front-door/front-door.ts";
import type { ServiceApp } from "../../http/service-app.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { BundleSource } from "./assets/console-bundle.ts";
import type { SessionBook } from "./sessions/session-book.ts";
import type { SessionLinks } from "./sessions/session-links.ts";
import type { TokenAttempts } from "./sessions/token-attempts.ts";

/** A service of this process with its network settings. */
export interface ConsoleTarget {
  app: ServiceApp;
  access: Access;
  /** The service's own front door. */
  enter: FrontDoor;
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
  targets: ReadonlyMap<ConsoleService, ConsoleTarget>;
  /** True if the services use TLS. */
  secure: boolean;
  apiToken: string | undefined;
  operatorToken: string | undefined;
  /** True if the platform accepts new accounts. */
  registration: boolean;
  /** Signs this machine's owner in to the platform; undefined without a platform. */
  ownerSession: (() => Promise<SignedIn>) | undefined;
  /** Returns the URL of the console on this machine. */
  url: () => string;
}
