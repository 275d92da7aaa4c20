import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FileReach } from "./file-reach.ts";

/** Files of the workspace that configure Argosy, or that it runs. Any of them may contain secrets. */
const configuration = [
  "agents",
  "tools",
  "skills",
  "runtime.yaml",
  "providers.yaml",
  "channels.yaml",
  "connections.yaml",
  "prices.yaml",
  "platform.yaml",
];

/** Folders and files of this installation. */
export interface ReachSettings {
  workspace: string;
  dataFolder: string;
  tls?: { keyFile: string };
}

/** Limits of file tools: they can't read or write this installation's data, secrets and configuration. */
export function workspaceReach({ workspace, dataFolder, tls }: ReachSettings): FileReach {
  const own = [dataFolder, ...configuration.map((name) => join(workspace, name))];
  return { workspace, offLimits: [...own, ...(tls === undefined ? [] : [tls.keyFile])].map(realPath) };
}

/** Resolves links, also for a path that doesn't exist yet, by its nearest existing folder. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
