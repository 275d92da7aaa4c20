import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import type { ConsoleService } from "../contracts/console/session.ts";
import type { SignedIn } from "../contracts/platform/auth.ts";
import { controlClient } from "../contracts/platform/clients/control-client.ts";
import { createFrontDoor } from "../http/front-door/front-door.ts";
import type { ServiceApp } from "../http/service-app.ts";
import { type ConsoleApp, createConsoleApp } from "../services/console/app.ts";
import { openBundle } from "../services/console/assets/bundle.ts";
import type { ConsoleDeps, ConsoleTarget } from "../services/console/deps.ts";
import { withConsole, withConsoleLinks } from "../services/console/page/with-console.ts";
import { openSessionBook } from "../services/console/sessions/session-book.ts";
import { sessionFile } from "../services/console/sessions/session-file.ts";
import { createSessionLinks, issueLink } from "../services/console/sessions/session-links.ts";
import { createTokenAttempts } from "../services/console/sessions/token-attempts.ts";
import { accessTo, registrationOf } from "./exposure.ts";
import type { Foundation } from "./foundation.ts";
import type { AssembledService, ServiceName } from "./services.ts";

/** The console for the services of a process that serves. */
export interface AssembledConsole {
  /** Returns a service with the console, for the network. */
  onNetwork(name: ServiceName, app: ServiceApp): ServiceApp;
  /** Returns a service with console links, for its control socket. */
  onControl(name: ServiceName, app: ServiceApp): ServiceApp;
  /** Returns a link that opens the console once as this machine's owner. */
  issueLink(): string;
  /** Writes pending changes. */
  close(): void;
}

/** Sets up the console. `urlOf` is called when the services listen. Console files are read only when a page opens. */
export function assembleConsole(
  { config, folder, sealer, log, clock, newId }: Foundation,
  services: ReadonlyMap<ServiceName, AssembledService>,
  urlOf: (name: ServiceName) => string,
): AssembledConsole {
  const targets = new Map<ConsoleService, ConsoleTarget>();
  for (const [name, { app }] of services) {
    const access = accessTo(config, name, []);
    targets.set(name, { app, access, enter: createFrontDoor(access) });
  }
  const [first = "daemon"] = services.keys();
  const deps: ConsoleDeps = {
    version,
    clock,
    newId,
    log,
    bundles: openBundle(),
    sessions: openSessionBook(clock, sessionFile(join(folder.path, "console-sessions.json"), sealer, log)),
    links: createSessionLinks(clock),
    attempts: createTokenAttempts(clock),
    targets,
    secure: config.tls !== undefined,
    apiToken: config.access.apiToken,
    operatorToken: config.platform.operatorToken,
    registration: registrationOf(config).here !== "closed",
    ownerSession: ownerSessionOf(services.get("platform")),
    url: () => urlOf(services.has("daemon") ? "daemon" : first),
  };
  const apps = new Map<ServiceName, ConsoleApp>();
  for (const [name, { access }] of targets) apps.set(name, createConsoleApp(deps, name, access));
  const beside = (name: ServiceName, app: ServiceApp, wrap: (console: ConsoleApp) => ServiceApp) => {
    const console = apps.get(name);
    return console === undefined ? app : wrap(console);
  };
  return {
    onNetwork: (name, app) => beside(name, app, (console) => withConsole(app, console, name)),
    onControl: (name, app) => beside(name, app, (console) => withConsoleLinks(app, console)),
    issueLink: () => issueLink(deps.links, deps.url()).url,
    close: () => deps.sessions.flush(),
  };
}

/** Signs in through the control app, which no network reaches; undefined if sign-in is not available. */
function ownerSessionOf(platform: AssembledService | undefined): (() => Promise<SignedIn>) | undefined {
  if (platform === undefined || !platform.app.routes.some(({ path }) => path === "/auth/login"))
    return undefined;
  const { app, control = app } = platform;
  const client = controlClient({
    baseUrl: "http://localhost",
    fetch: async (request) => control.handle(request, { peer: "control" }),
  });
  return () => client.openOwnerSession();
}
