import type { ConsoleService } from "../../contracts/console/session.ts";
import type { SignedIn } from "../../contracts/platform/auth.ts";
import type { Access, FrontDoor } from "../../http/front-door.ts";
import type { ServiceApp } from "../../http/service-app.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { BundleSource } from "./assets/console-bundle.ts";
import type { SessionBook } from "./sessions/session-book.ts";
import type { SessionLinks } from "./sessions/session-links.ts";
import type { TokenAttempts } from "./sessions/token-attempts.ts";

/** A service of this process, as the network has it. */
export interface ConsoleTarget {
  app: ServiceApp;
  access: Access;
  /** Its own front door. */
  enter: FrontDoor;
}

/** Everything the console may touch; one for all services of a process. */
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
  /** Whether the services speak TLS. */
  secure: boolean;
  apiToken: string | undefined;
  operatorToken: string | undefined;
  /** Whether the platform takes new accounts. */
  registration: boolean;
  /** Signs this machine's owner in at the platform; undefined without one. */
  ownerSession: (() => Promise<SignedIn>) | undefined;
  /** Where this machine opens the console. */
  url: () => string;
}
