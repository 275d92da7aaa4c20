import type { ConsoleService } from "../../../contracts/console/session.ts";
import type { ServiceApp } from "../../../http/service-app.ts";
import type { ConsoleApp } from "../app.ts";

/** Adds the console to a service, on paths that the service doesn't use itself. */
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

/** Adds console links to a service's control socket, for the machine's owner. */
export function withConsoleLinks(app: ServiceApp, console: ConsoleApp): ServiceApp {
  return {
    ...app,
    handle(request, origin) {
      const path = pathOf(request.url);
      return path === "/console/links" ? console.handle(request, origin, path) : app.handle(request, origin);
    },
  };
}

/** Called for every request, so the rules do as little as possible. */
const pageRules: Readonly<Record<ConsoleService, (path: string) => boolean>> = {
  daemon: (path) => path === "/" || isUnder(path, "/studio") || isUnder(path, "/platform"),
  platform: (path) => path !== "" && !ofPlatform.some((own) => isUnder(path, own)),
};

const ofPlatform = ["/api", "/auth", "/control", "/healthz", "/readyz", "/docs", "/openapi.json", "/console"];

const isUnder = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");

/** Returns the path of a URL with escapes; empty for an invalid URL, which the service itself refuses. */
function pathOf(url: string): string {
  const pathAt = url.indexOf("/", "https://".length);
  if (!url.startsWith("http") || pathAt === -1) return "";
  const queryAt = url.indexOf("?", pathAt);
  return url.slice(pathAt, queryAt === -1 ? undefined : queryAt);
}
