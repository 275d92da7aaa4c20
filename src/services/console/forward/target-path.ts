import { consoleApiPrefix } from "../../../contracts/console/wire.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type ConsoleRules, isBelow } from "../targets.ts";

/** Service and path of a request under the prefix. */
export interface TargetPath {
  service: string;
  /** Path as received, with escapes. */
  path: string;
  /** Path without escapes, which decides about credentials. */
  plain: string;
}

/** Splits a path such as `/console/api/daemon/v1/agents`. Throws AppError `not_found` for an ambiguous path. */
export function targetPath(sent: string): TargetPath {
  const [, service = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(sent.slice(consoleApiPrefix.length)) ?? [];
  if (service === "" || path.includes("\\")) throw notThere();
  const plain = decodeURIComponent(path);
  // The URL for the service is parsed again, which would remove such segments and those before them.
  if (plain.split(/[/\\]/).some((segment) => segment === "." || segment === "..")) throw notThere();
  return { service, path, plain };
}

/** Refuses paths that no page may reach. */
export function requireOpenPath({ closed }: Pick<ConsoleRules, "closed">, { plain }: TargetPath): void {
  const path = plain.toLowerCase();
  if (closed.some((prefix) => isBelow(path, prefix))) throw notThere();
}

const notThere = () => new AppError("not_found", "not_found", "There is nothing at this path.");
