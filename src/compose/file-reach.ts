import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FileReach } from "../engine/tools/files/file-reach.ts";
import type { Config } from "./config.ts";

/** Files of the workspace that configure Argosy, or that it runs; any of them may hold secrets. */
const configuration = [
  "agents",
  "tools",
  "runtime.yaml",
  "providers.yaml",
  "channels.yaml",
  "connections.yaml",
  "prices.yaml",
];

/** What of this installation no tool may read or write: its data, its secrets, its configuration. */
export function fileReach({
  workspace,
  dataFolder,
  tls,
}: Pick<Config, "workspace" | "dataFolder" | "tls">): FileReach {
  const own = [dataFolder, ...configuration.map((name) => join(workspace, name))];
  return { workspace, offLimits: [...own, ...(tls === undefined ? [] : [tls.keyFile])].map(realPath) };
}

/** Also of what is not there yet: the nearest folder that is counts. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
