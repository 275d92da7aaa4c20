import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, normalize, parse } from "node:path";
import { type FileReach, isInside, isOffLimits } from "./file-reach.ts";

/** A folder that a tool may use, including everything below it. */
export interface AllowedRoot {
  /** The path in the entry, without `.`, `..` and doubled separators. */
  written: string;
  /** The path with every link resolved when the entry was loaded; later changes of those links have no effect. */
  real: string;
}

/** Prefix of an entry that is replaced by the installation's folder. */
const workspaceMark = "{workspace}";
/** Folders whose entries look like files but are not. */
const pseudoFileSystems = ["/proc", "/sys", "/dev"];

/** The folders of `allowed_paths`, and the problems of refused entries. */
export function resolveRoots(
  entries: readonly string[],
  reach: FileReach,
): { roots: AllowedRoot[]; problems: { key: string; message: string }[] } {
  const roots: AllowedRoot[] = [];
  const problems: { key: string; message: string }[] = [];
  for (const [index, entry] of entries.entries()) {
    const root = resolveRoot(entry, reach);
    if (typeof root === "string") problems.push({ key: `allowed_paths[${index}]`, message: root });
    else roots.push(root);
  }
  return { roots, problems };
}

/** The folder, or the problem with the entry. */
function resolveRoot(entry: string, reach: FileReach): AllowedRoot | string {
  const path = entry.startsWith(workspaceMark)
    ? join(reach.workspace, entry.slice(workspaceMark.length))
    : entry;
  if (!isAbsolute(path) || path.includes("\0")) {
    return `must be an absolute path of a folder, or start with ${workspaceMark}`;
  }
  const written = withoutEnd(normalize(path));
  const real = findFolder(written);
  if (real === undefined) return "must be a folder that exists";
  if (real === parse(real).root) return "must not be the whole file system; name a folder";
  if (pseudoFileSystems.some((folder) => isInside(folder, real))) return "must not be a folder of the system";
  if (isOffLimits(reach, real)) return "must not be a folder that holds Argosy's own data or configuration";
  return { written, real };
}

function findFolder(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function withoutEnd(path: string): string {
  return path.length > parse(path).root.length && /[/\\]$/.test(path) ? path.slice(0, -1) : path;
}
