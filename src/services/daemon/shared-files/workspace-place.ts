import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../../kit/clock.ts";
import { removeFile, replaceFile } from "../../../storage/files/replace-file.ts";
import { seeFile } from "../manifests/manifest-files.ts";
import { digestOf, type SharedPlace } from "./shared-place.ts";

/** Files and folders of a workspace that all nodes share. runtime.yaml, channels.yaml and .env are each node's own. */
const sharedFiles: ReadonlySet<string> = new Set(["providers.yaml", "prices.yaml", "connections.yaml"]);
const sharedFolders: Readonly<Record<string, RegExp>> = {
  agents: /\.agent\.ya?ml$/,
  rag: /\.rag\.ya?ml$/,
  tools: /\.(?:[cm]?[tj]s|json|txt|md)$/,
  skills: /./,
  evals: /./,
};
const bytesMax = 1024 * 1024;
const filesMax = 5000;
/** A file system's clock ticks in steps, so a file that was changed a moment ago may change without another stamp. */
const settlesAfterMs = 2000;

interface Kept {
  stamp: string;
  isSettled: boolean;
  digest: string | undefined;
  fault: string | undefined;
}

/** The files of a workspace that all nodes share. Hidden files, `node_modules` and files that are no text stay on their node. */
export function workspacePlace(workspace: string, clock: Clock): SharedPlace {
  let kept: ReadonlyMap<string, Kept> = new Map();
  const pathOf = (path: string) => join(workspace, path);
  return {
    has: isShared,
    list() {
      const now = clock.now().getTime();
      const next = new Map<string, Kept>();
      for (const path of sharedPaths(workspace)) {
        const seen = seeFile(pathOf(path));
        if (seen === undefined) continue;
        const known = kept.get(path);
        const isCurrent = known?.stamp === seen.stamp && known.isSettled;
        const isSettled = seen.changedAtMs < now - settlesAfterMs;
        next.set(path, isCurrent ? known : { stamp: seen.stamp, isSettled, ...look(pathOf(path)) });
      }
      kept = next;
      const entries = [...next];
      return {
        copies: new Map(
          entries.flatMap(([path, { digest }]) => (digest === undefined ? [] : [[path, digest]])),
        ),
        faults: new Map(entries.flatMap(([path, { fault }]) => (fault === undefined ? [] : [[path, fault]]))),
      };
    },
    read: (path) => readFileSync(pathOf(path), "utf8"),
    write(path, text) {
      mkdirSync(dirname(pathOf(path)), { recursive: true });
      const mode = statSync(pathOf(path), { throwIfNoEntry: false })?.mode ?? 0o644;
      replaceFile(pathOf(path), text, mode & 0o777);
    },
    remove: (path) => removeFile(pathOf(path)),
  };
}

function look(path: string): Pick<Kept, "digest" | "fault"> {
  try {
    const status = statSync(path);
    if (!status.isFile()) return { digest: undefined, fault: undefined };
    if (status.size > bytesMax)
      return { digest: undefined, fault: "is larger than 1 MiB, so it isn't shared" };
    return {
      digest: digestOf(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path))),
      fault: undefined,
    };
  } catch (thrown) {
    const reason = thrown instanceof TypeError ? "is not UTF-8 text" : "can't be read";
    return { digest: undefined, fault: `${reason}, so it isn't shared` };
  }
}

/** Returns true for paths that may be shared. Entries come from the database, so they are checked as well: none leads out of its folder. */
export function isShared(path: string): boolean {
  if (sharedFiles.has(path)) return true;
  const parts = path.split("/");
  const [folder = ""] = parts;
  if (parts.length < 2 || !Object.hasOwn(sharedFolders, folder)) return false;
  return parts.every(isOpenName) && sharedFolders[folder]?.test(path) === true;
}

const isOpenName = (name: string) =>
  name !== "" && !name.startsWith(".") && name !== "node_modules" && !/[\\\0]/.test(name);

function sharedPaths(workspace: string): string[] {
  const found = [...sharedFiles];
  const walk = (folder: string, depth: number) => {
    for (const { name, isFolder } of entriesOf(join(workspace, folder))) {
      if (found.length >= filesMax || !isOpenName(name)) continue;
      const path = `${folder}/${name}`;
      if (isFolder) {
        if (depth < 8) walk(path, depth + 1);
      } else if (isShared(path)) found.push(path);
    }
  };
  for (const folder of Object.keys(sharedFolders)) walk(folder, 0);
  return found.sort();
}

/** A mounted configuration consists of links to files. Links to folders may lead anywhere, so they stay on their node. */
function entriesOf(folder: string): { name: string; isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
    }));
  } catch {
    return [];
  }
}
