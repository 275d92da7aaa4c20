import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import type { ConsoleTarget } from "../targets.ts";

/** Returns true if the service of this listener is used by the API token, and needs no credential from this caller. */
export function isOpen({ targets }: ConsoleDeps, home: string, request: Request): boolean {
  const target = targets.get(home);
  return target?.console.credential.by === "api_token" && letsIn(target, request);
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
