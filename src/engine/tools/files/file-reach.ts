import { basename, sep } from "node:path";

/** Where file tools may not go, whatever their entries allow. */
export interface FileReach {
  /** The installation's own folder: paths of a configuration may be relative to it. */
  workspace: string;
  /** Files and folders, by their real paths, that no tool reads or writes: data, secrets, and what configures Argosy. */
  offLimits: readonly string[];
  /** A folder, by its real path, beyond which everything is off limits: for agents that the machine's owner didn't write. */
  onlyBelow?: string;
}

/** Names that hold secrets, or that Argosy takes for its own configuration wherever they lie. */
const reservedName = /^\.env(?:\..*)?$|\.(?:agent|rag|eval)\.ya?ml$/i;

/** Whether no tool may touch what lies at this real path. */
export function isOffLimits(reach: FileReach, realPath: string): boolean {
  const { offLimits, onlyBelow } = reach;
  if (onlyBelow !== undefined && !isInside(onlyBelow, realPath)) return true;
  return reservedName.test(basename(realPath)) || offLimits.some((path) => isInside(path, realPath));
}

/** Whether `path` is `folder` or lies below it, by whole segments; both are normal absolute paths. */
export function isInside(folder: string, path: string): boolean {
  if (!path.startsWith(folder)) return false;
  return path.length === folder.length || folder.endsWith(sep) || path[folder.length] === sep;
}
