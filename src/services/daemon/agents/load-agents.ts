import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent.ts";
import { checkFile, type ManifestKind } from "../../../manifest/manifest-kind.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import type { Variables } from "../../../manifest/variables.ts";
import type { AgentCatalog, CatalogEntry } from "./agent-catalog.ts";

export interface AgentLoader {
  /** The folder whose `*.agent.yaml` files are agents, subfolders included. */
  folder: string;
  /** What file names are shown relative to. */
  workspace: string;
  kind: ManifestKind<AgentManifest>;
  variables: Variables;
  build: (manifest: AgentManifest) => RunnableAgent;
}

/** Paths of the agent files, in a fixed order. */
export function agentFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.agent\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** Reads every agent file into the catalog. A file that can't be used keeps what it gave before, with the fault beside it. */
export function loadAgents(loader: AgentLoader, catalog: AgentCatalog): void {
  const before = new Map(catalog.list().map((entry) => [entry.file, entry]));
  const entries = new Map<string, CatalogEntry>();
  for (const path of agentFiles(loader.folder)) {
    const file = relative(loader.workspace, path);
    const entry = readEntry(loader, path, file, before.get(file));
    const other = entries.get(entry.name);
    entries.set(entry.name, other === undefined ? entry : servingTwin(other, entry));
  }
  catalog.replace([...entries.values()]);
}

function readEntry(
  loader: AgentLoader,
  path: string,
  file: string,
  before: CatalogEntry | undefined,
): CatalogEntry {
  try {
    const text = readText(path, file);
    const checked = checkFile(loader.kind, text, loader.variables);
    if ("problems" in checked) throw invalidManifest(checked.problems, file);
    const { manifest, place } = checked;
    const name = manifest.metadata.name;
    try {
      return { name, file, manifest, agent: loader.build(manifest) };
    } catch (thrown) {
      const problems = toAppError(thrown).details.problems ?? [];
      const placed = problems.length === 0 ? thrown : invalidManifest(problems.map(place), file);
      return keeping(before, { name, file, manifest, fault: faultOf(placed) });
    }
  } catch (thrown) {
    return keeping(before, { name: nameOfFile(file), file, fault: faultOf(thrown) });
  }
}

/** The last good version goes on serving. */
function keeping(before: CatalogEntry | undefined, failed: CatalogEntry): CatalogEntry {
  if (before?.agent === undefined) return failed;
  const { fault } = failed;
  return fault === undefined ? failed : { ...before, fault };
}

/** Two files with one name: the first in order that can run serves, and says who is in its way. */
function servingTwin(first: CatalogEntry, second: CatalogEntry): CatalogEntry {
  const secondServes = first.agent === undefined && second.agent !== undefined;
  const [serving, hidden] = secondServes ? [second, first] : [first, second];
  const message = `${hidden.file} has the name ${serving.name} too; names must be unique.`;
  const twinFault = { message, problems: [{ path: "metadata.name", message }] };
  return { ...serving, fault: serving.fault ?? hidden.fault ?? twinFault };
}

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    const reason = String((thrown as { code?: unknown }).code);
    throw new AppError("invalid", "file_unreadable", `${file} can't be read (${reason}).`, { cause: thrown });
  }
}

function faultOf(thrown: unknown): NonNullable<CatalogEntry["fault"]> {
  const { message, details } = toAppError(thrown);
  return { message, problems: details.problems ?? [] };
}

/** A file that can't be read as a manifest is known by its own name. */
function nameOfFile(file: string): string {
  return file.replace(/^.*[\\/]/, "").replace(/\.agent\.ya?ml$/, "");
}
