import type { Access, FrontDoor } from "../../http/front-door/front-door.ts";
import type { ServiceApp } from "../../http/service-app.ts";

/** How calls of a session are authorized at a service. */
export type SessionCredential =
  | { by: "api_token" }
  /** The gateway's operators. The service's own app for them adds the credential. */
  | { by: "admin_token" }
  /** A person who signed in to the cloud. */
  | { by: "member" }
  /** A signed-in person. Paths under `operatorPath` also take the operator token. */
  | { by: "person"; operatorPath: string };

/** Rules of the console for one service. */
export interface ConsoleRules {
  /** Returns true for paths of the service's own listener that show the console. Called for every GET and HEAD request. */
  page: (path: string) => boolean;
  /**
   * Paths that pages can never reach: those for other machines, those for the machine's command line, and those that would return a
   * credential to a script.
   */
  closed: readonly string[];
  /** The only paths that accept WebSockets. Their tickets come from calls that sent the session's key. */
  sockets: RegExp;
  credential: SessionCredential;
  /** Advice for a session that may not use the service. */
  hint: string;
}

/** A service of this process as the console forwards to it. */
export interface ConsoleTarget {
  /** Its app for sessions that may use it. */
  app: ServiceApp;
  access: Access;
  /** The service's own front door. */
  enter: FrontDoor;
  console: ConsoleRules;
}

/** Services of this process by name. */
export type ConsoleTargets = ReadonlyMap<string, ConsoleTarget>;

/** Paths of the console's areas. Each listener that shows the console shows all of them. */
const areaPaths = ["/studio", "/platform", "/gateway", "/cloud", "/translator", "/operations"];

/** Returns true for the paths of the console's areas, and for `/`. */
export const isAreaPath = (path: string): boolean =>
  path === "/" || areaPaths.some((area) => isBelow(path, area));

/** Returns the services with a kind of credential. */
export const targetsBy = (targets: ConsoleTargets, by: SessionCredential["by"]): ConsoleTarget[] =>
  [...targets.values()].filter(({ console }) => console.credential.by === by);

/** Returns true for `/studio` and paths below it, if `prefix` is `/studio`. */
export const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
