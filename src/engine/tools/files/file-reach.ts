import { basename, sep } from "node:path";
import { AppError } from "../../../kit/app-error.ts";

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

/** Error for a path that a tool may not or can't use; the message tells the model what to do instead. */
export function pathRefused(message: string, cause?: unknown): AppError {
  return new AppError("forbidden", "path_refused", message, cause === undefined ? {} : { cause });
}

const reasons: Record<string, string> = {
  ENOENT: "There is nothing at this path; check its spelling.",
  ENOTDIR: "A part of this path is a file, not a folder.",
  EISDIR: "This path is a folder; name a file.",
  ENAMETOOLONG: "A name in this path is too long; shorten it.",
  ELOOP: "This path contains a broken symbolic link.",
  EACCES: "The server may not access this file; use another one.",
  EPERM: "The server may not access this file; use another one.",
  EROFS: "This folder can't be written; use another one.",
  ENOSPC: "The disk is full; nothing was written.",
  EDQUOT: "The disk is full; nothing was written.",
  ENXIO: "This path is not a regular file.",
  EMFILE: "Too many files are open; try again.",
  ENFILE: "Too many files are open; try again.",
  EINVAL: "This path can't be used as a file name.",
};

/** Converts a file system error to a message for the model; returns other errors unchanged. */
export function fileFault(thrown: unknown): unknown {
  if (thrown instanceof AppError || !(thrown instanceof Error) || !("code" in thrown)) return thrown;
  const reason = reasons[String(thrown.code)];
  return reason === undefined ? thrown : pathRefused(reason, thrown);
}
