import { basename, sep } from "node:path";

/** Restrictions on file tools that apply regardless of their entries. */
export interface FileReach {
  /** The installation's folder, to which configured paths may be relative. */
  workspace: string;
  /** Real paths of files and folders that no tool reads or writes: data, secrets and Argosy's configuration. */
  offLimits: readonly string[];
  /** Real path of a folder outside which everything is off limits: for agents that the machine's owner did not write. */
  onlyBelow?: string;
}

/** Names of files with secrets, or that Argosy loads as configuration in any folder. */
const reservedName = /^\.env(?:\..*)?$|\.(?:agent|rag|eval)\.ya?ml$/i;

/** Returns true if no tool may access this real path. */
export function isOffLimits(reach: FileReach, realPath: string): boolean {
  const { offLimits, onlyBelow } = reach;
  if (onlyBelow !== undefined && !isInside(onlyBelow, realPath)) return true;
  return reservedName.test(basename(realPath)) || offLimits.some((path) => isInside(path, realPath));
}

/** Returns true if `path` is `folder` or below it, compared by whole segments; both are normalized absolute paths. */
export function isInside(folder: string, path: string): boolean {
  if (!path.startsWith(folder)) return false;
  return path.length === folder.length || folder.endsWith(sep) || path[folder.length] === sep;
}
