import type { ConsoleService } from "../../../contracts/console/session.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps, ConsoleTarget } from "../deps.ts";

/** Whether the daemon asks no credential of this very caller; on its own listener alone. */
export function isOpen({ targets }: ConsoleDeps, home: ConsoleService, request: Request): boolean {
  const daemon = home === "daemon" ? targets.get("daemon") : undefined;
  return daemon !== undefined && letsIn(daemon, request);
}

/** Whether a service's own front door lets a request in that brings no credential. */
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
