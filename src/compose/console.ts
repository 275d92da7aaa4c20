import { join } from "node:path";
import { version } from "../../package.json";
import { createFrontDoor } from "../http/front-door/front-door.ts";
import type { ServiceApp } from "../http/service-app.ts";
import { type ConsoleApp, createConsoleApp } from "../services/console/app.ts";
import { openBundle } from "../services/console/assets/bundle.ts";
import type { ConsoleDeps } from "../services/console/deps.ts";
import { migrations } from "../services/console/migrations.gen.ts";
import { withConsole, withConsoleLinks } from "../services/console/page/with-console.ts";
import { openSessionBook } from "../services/console/sessions/session-book.ts";
import { sessionFile } from "../services/console/sessions/session-file.ts";
import { createSessionLinks, issueLink } from "../services/console/sessions/session-links.ts";
import { storedSessions } from "../services/console/sessions/stored-sessions.ts";
import { createTokenAttempts } from "../services/console/sessions/token-attempts.ts";
import { tables } from "../services/console/tables.ts";
import type { ConsoleTarget } from "../services/console/targets.ts";
import type { AssembledEntry } from "./assemble.ts";
import { accessTo } from "./exposure.ts";
import type { Foundation } from "./foundation.ts";
import type { Service } from "./service.ts";
import { openOwnStorage } from "./service-storage.ts";

/** The console for the services of a process that serves. */
export interface AssembledConsole {
  /** Returns a service with the console, for the network. */
  onNetwork(service: Service, app: ServiceApp): ServiceApp;
  /** Returns a service with console links, for its control socket. */
  onControl(service: Service, app: ServiceApp): ServiceApp;
  /** Returns a link that opens the console once as this machine's owner. */
  issueLink(): string;
  /** Writes pending changes. */
  close(): Promise<void>;
}

/** Sets up the console. `url` is called when the services listen. Console files are read only when a page opens. */
export async function assembleConsole(
  foundation: Foundation,
  services: readonly AssembledEntry[],
  url: () => string,
): Promise<AssembledConsole> {
  const { config, folder, sealer, log, clock, newId } = foundation;
  const targets = new Map<string, ConsoleTarget>();
  for (const { service, app: own, operators: app = own } of services) {
    const access = accessTo(config, service, []);
    targets.set(service.name, { app, access, enter: createFrontDoor(access), console: service.console });
  }
  const isShared = config.databaseUrl !== undefined && sealer !== undefined;
  const storage = isShared
    ? await openOwnStorage(foundation, { service: "console", tables, migrations })
    : undefined;
  const people = services.find((service) => service.people !== undefined)?.people;
  const deps: ConsoleDeps = {
    version,
    clock,
    newId,
    log,
    bundles: openBundle(),
    sessions:
      storage !== undefined && sealer !== undefined
        ? storedSessions(storage, sealer, clock)
        : openSessionBook(clock, sessionFile(join(folder.path, "console-sessions.json"), sealer, log)),
    links: createSessionLinks(clock),
    attempts: createTokenAttempts(clock),
    targets,
    secure: config.tls !== undefined,
    apiToken: config.access.apiToken,
    operatorToken: config.platform.operatorToken,
    adminToken: config.gateway.adminToken,
    registration: people?.registration === true,
    ownerSession: people?.openOwnerSession,
    members: services.find((service) => service.members !== undefined)?.members,
    url,
  };
  const apps = new Map<string, ConsoleApp>();
  for (const [name, { access }] of targets) apps.set(name, createConsoleApp(deps, name, access));
  return {
    onNetwork({ name, console: { page } }, app) {
      const console = apps.get(name);
      return console === undefined ? app : withConsole(app, console, page);
    },
    onControl({ name }, app) {
      const console = apps.get(name);
      return console === undefined ? app : withConsoleLinks(app, console);
    },
    issueLink: () => issueLink(deps.links, url()).url,
    async close() {
      deps.sessions.flush();
      await storage?.close();
    },
  };
}
