import type { ServiceApp } from "../../../http/service-app.ts";
import type { ConsoleApp } from "../app.ts";
import type { ConsoleRules } from "../targets.ts";

/** Adds the console to a service, on paths that the service doesn't use itself: those that `isPage` accepts. */
export function withConsole(app: ServiceApp, console: ConsoleApp, isPage: ConsoleRules["page"]): ServiceApp {
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

/** Returns the path of a URL with escapes; empty for an invalid URL, which the service itself refuses. */
function pathOf(url: string): string {
  const pathAt = url.indexOf("/", "https://".length);
  if (!url.startsWith("http") || pathAt === -1) return "";
  const queryAt = url.indexOf("?", pathAt);
  return url.slice(pathAt, queryAt === -1 ? undefined : queryAt);
}
