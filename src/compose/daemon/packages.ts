import { join, resolve } from "node:path";
import { createNpmPackages, type NpmPackages } from "../../kit/packages/npm-packages.ts";
import type { Foundation } from "../foundation.ts";
import { createProviderFetch } from "../provider-fetch.ts";

/** Optional parts that are installed at their first use: once for all workspaces of the user, or else in the data folder. */
export function openPackages({
  config,
  clock,
  log,
}: Pick<Foundation, "config" | "clock" | "log">): NpmPackages {
  return createNpmPackages({
    folders: [
      { path: join(config.cacheFolder, "packages"), isShared: true },
      // Absolute, because other processes load them.
      { path: join(resolve(config.dataFolder), "packages"), isShared: false },
    ],
    fetch: createProviderFetch(clock),
    clock,
    log,
  });
}
