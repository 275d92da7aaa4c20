import { type BigIntStats, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, normalize, relative, sep } from "node:path";
import { AppError } from "../kit/app-error.ts";

/** A file below the models folder, in the state in which it was looked up. */
export interface ModelFile {
  /** Path relative to the models folder, for messages. */
  name: string;
  /** Real path with every link resolved. */
  path: string;
  bytes: number;
  /** Changes if the file is replaced or written. */
  stamp: string;
}

const pathCharsMax = 1024;

/**
 * Finds a file below `folder` by a relative or absolute path; links are followed if they stay below it. Throws AppError `path_refused`
 * (403) for a path outside, whether it exists or not, and `model_not_found` (404).
 */
export function findModelFile(folder: string, path: string): ModelFile {
  const name = nameBelow(folder, path);
  try {
    const root = realpathSync(folder);
    const real = realpathSync(join(root, name));
    if (!isBelow(root, real)) throw outside();
    const stats = statSync(real, { bigint: true });
    if (!stats.isFile()) throw notFound(name);
    return {
      name,
      path: real,
      bytes: Number(stats.size),
      stamp: stampOf(stats),
    };
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : notFound(name, thrown);
  }
}

/** Identity and state of a file. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

/** The path relative to the folder, parsed literally: nothing is decoded, and `..` is resolved before any lookup. */
function nameBelow(folder: string, path: string): string {
  if (path === "" || path.length > pathCharsMax || path.includes("\0")) throw outside();
  const root = normalize(folder);
  const whole = isAbsolute(path) ? normalize(path) : join(root, path);
  if (!isBelow(root, whole) || whole.endsWith(sep)) throw outside();
  const name = relative(root, whole);
  // On Windows a colon marks a stream or another drive.
  if (process.platform === "win32" && name.includes(":")) throw outside();
  return name;
}

/** Returns true if a normalized absolute path is below a folder, compared by whole segments. */
function isBelow(folder: string, path: string): boolean {
  const start = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(start) && path.length > start.length;
}

const outside = () =>
  new AppError("forbidden", "path_refused", "The path does not lead to a file below the folder of models.", {
    details: { hint: "Put the model below <data>/models and give its path relative to that folder." },
  });

const notFound = (name: string, cause?: unknown) =>
  new AppError("not_found", "model_not_found", `There is no file ${name} in the folder of models.`, {
    details: { hint: "Put it below <data>/models and give its path relative to that folder." },
    ...(cause === undefined ? {} : { cause }),
  });
