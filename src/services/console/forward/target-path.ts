import type { ConsoleService } from "../../../contracts/console/session.ts";
import { consoleApiPrefix } from "../../../contracts/console/wire.ts";
import { AppError } from "../../../kit/app-error.ts";

/** What a path under the prefix means. */
export interface TargetPath {
  service: string;
  /** As it was sent, escapes kept. */
  path: string;
  /** Without escapes: what decides on credentials. */
  plain: string;
}

/**
 * Never reached through a page: what is for other machines, for the machine's own command line, and what would hand a credential
 * to a script.
 */
const closed: Readonly<Record<ConsoleService, readonly string[]>> = {
  daemon: ["/control", "/console", "/v1/internal"],
  platform: ["/control", "/console", "/auth"],
};

/** Splits a path such as `/console/api/daemon/v1/agents`; AppError `not_found` for one that could be read in two ways. */
export function targetPath(sent: string): TargetPath {
  const [, service = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(sent.slice(consoleApiPrefix.length)) ?? [];
  if (service === "" || path.includes("\\")) throw notThere();
  const plain = decodeURIComponent(path);
  // A URL is put together anew for the service: it would lose such segments, and what stands before them.
  if (plain.split(/[/\\]/).some((segment) => segment === "." || segment === "..")) throw notThere();
  return { service, path, plain };
}

/** Refuses what no page may reach. */
export function requireOpenPath(service: ConsoleService, { plain }: TargetPath): void {
  const path = plain.toLowerCase();
  if (closed[service].some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) throw notThere();
}

const notThere = () => new AppError("not_found", "not_found", "There is nothing at this path.");
