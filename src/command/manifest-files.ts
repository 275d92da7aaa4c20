import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { evalFiles } from "../evals/files/read-eval-file.ts";
import { AppError } from "../kit/app-error.ts";
import type { ManifestKindName } from "../manifest/schema/kind-names.ts";
import { agentFiles } from "../services/daemon/agents/agent-folder.ts";

const kindsByName: ReadonlyMap<string, ManifestKindName> = new Map([
  ["runtime.yaml", "runtime"],
  ["providers.yaml", "providers"],
  ["prices.yaml", "prices"],
  ["channels.yaml", "channels"],
  ["connections.yaml", "connections"],
  ["platform.yaml", "platform"],
]);

/** Returns the kind of a file by its name; undefined if the name doesn't show it. */
export function kindOfName(path: string): ManifestKindName | undefined {
  if (/\.agent\.ya?ml$/.test(path)) return "agent";
  if (/\.rag\.ya?ml$/.test(path)) return "rag-pipeline";
  if (/\.rag-eval\.ya?ml$/.test(path)) return "rag-eval";
  if (/\.eval\.ya?ml$/.test(path)) return "eval";
  return kindsByName.get(basename(path));
}

/** Existing files of a workspace that Argosy reads, in a fixed order. */
export function workspaceFiles(workspace: string): string[] {
  const settings = [...kindsByName.keys()]
    .map((name) => join(workspace, name))
    .filter((path) => existsSync(path));
  return [
    ...settings,
    ...agentFiles(join(workspace, "agents")),
    ...scan(join(workspace, "rag"), "rag-pipeline"),
    ...scan(join(workspace, "evals"), "rag-eval"),
    ...evalFiles(workspace),
  ];
}

/** Returns the files for the given paths: a file itself, or all files of a folder whose names Argosy knows. */
export function namedFiles(paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) throw new AppError("invalid", "usage", `${path} does not exist.`);
    return status.isDirectory() ? scan(path) : [path];
  });
  return [...new Set(files)];
}

/** Finds manifests in a folder, but not in hidden folders, which include our data, or in installed packages. */
function scan(folder: string, kind?: ManifestKindName): string[] {
  if (!existsSync(folder)) return [];
  const names = [...new Bun.Glob("**/*.{yaml,yml}").scanSync({ cwd: folder })];
  return names
    .filter((name) => !name.split("/").includes("node_modules"))
    .filter((name) => (kind === undefined ? kindOfName(name) !== undefined : kindOfName(name) === kind))
    .sort()
    .map((name) => join(folder, name));
}
