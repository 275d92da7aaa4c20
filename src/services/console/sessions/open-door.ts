import type { ConsoleService } from "../../../contracts/console/session.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps, ConsoleTarget } from "../deps.ts";

/** Returns true if the daemon needs no credential from this caller. Only on the daemon's own listener. */
export function isOpen({ targets }: ConsoleDeps, home: ConsoleService, request: Request): boolean {
  const daemon = home === "daemon" ? targets.get("daemon") : undefined;
  return daemon !== undefined && letsIn(daemon, request);
}

/** Returns true if a service's front door admits a request without a credential. */
export function letsIn({ enter }: ConsoleTarget, { url, headers: sent }: Request): boolean {
  const headers = new Headers(sent);
  headers.delete("authorization");
  try {
    return enter(new Request(url, { headers }), "network");
  } catch (thrown) {
    if (thrown instanceof AppError) return false;
    throw thrown;
  }
}
