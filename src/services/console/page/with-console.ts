import type { ConsoleService } from "../../../contracts/console/session.ts";
import type { ServiceApp } from "../../../http/service-app.ts";
import type { ConsoleApp } from "../app.ts";

/** A service that shows the console where it has nothing of its own. */
export function withConsole(app: ServiceApp, console: ConsoleApp, home: ConsoleService): ServiceApp {
  const isPage = pageRules[home];
  return {
    ...app,
    handle(request, origin) {
      const path = pathOf(request.url);
      if (path.startsWith("/console/")) return console.handle(request, origin, path);
      const isRead = request.method === "GET" || request.method === "HEAD";
      return isRead && isPage(path) ? console.page(request, origin) : app.handle(request, origin);
    },
  };
}

/** A service's control socket, through which the machine's owner has links made. */
export function withConsoleLinks(app: ServiceApp, console: ConsoleApp): ServiceApp {
  return {
    ...app,
    handle(request, origin) {
      const path = pathOf(request.url);
      return path === "/console/links" ? console.handle(request, origin, path) : app.handle(request, origin);
    },
  };
}

/** Before everything that a service is asked: it looks no closer than it has to. */
const pageRules: Readonly<Record<ConsoleService, (path: string) => boolean>> = {
  daemon: (path) => path === "/" || isUnder(path, "/studio") || isUnder(path, "/platform"),
  platform: (path) => path !== "" && !ofPlatform.some((own) => isUnder(path, own)),
};

const ofPlatform = ["/api", "/auth", "/control", "/healthz", "/readyz", "/docs", "/openapi.json", "/console"];

const isUnder = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");

/** The path of a URL, escapes kept; empty for what is none, which the service refuses in its own words. */
function pathOf(url: string): string {
  const pathAt = url.indexOf("/", "https://".length);
  if (!url.startsWith("http") || pathAt === -1) return "";
  const queryAt = url.indexOf("?", pathAt);
  return url.slice(pathAt, queryAt === -1 ? undefined : queryAt);
}
