import { isAbsolute, normalize, sep } from "node:path";
import type { AllowedRoot } from "./allowed-roots.ts";
import { isInside, pathRefused } from "./file-reach.ts";

/** Target of a path by its spelling: a root and the names below it. Each may still be a link. */
export interface FilePlace {
  root: AllowedRoot;
  /** At least one. */
  names: readonly string[];
}

/** Device names that Windows recognizes in any folder. */
const windowsDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Parses an absolute path literally: nothing is decoded, and `..` is resolved before any lookup. Throws AppError `path_refused` if the path
 * is not below an allowed folder.
 */
export function locate(path: string, roots: readonly AllowedRoot[]): FilePlace {
  if (path.includes("\0")) throw pathRefused("The path contains a NUL character; leave it out.");
  if (!isAbsolute(path)) throw pathRefused(`The path must be absolute. ${allowed(roots)}`);
  const normal = normalize(path);
  for (const root of roots) {
    const folder = [root.written, root.real].find((candidate) => isInside(candidate, normal));
    if (folder === undefined) continue;
    const names = normal.slice(folder.length).split(sep).slice(1);
    if (names.length === 0 || names.at(-1) === "") {
      throw pathRefused("This path is a folder; name a file.");
    }
    if (
      process.platform === "win32" &&
      names.some((name) => name.includes(":") || windowsDevice.test(name))
    ) {
      throw pathRefused("This path can't be used as a file name.");
    }
    return { root, names };
  }
  throw pathRefused(`This path is outside of what the tool may use. ${allowed(roots)}`);
}

function allowed(roots: readonly AllowedRoot[]): string {
  if (roots.length === 0)
    return "No folder is allowed here (`allowed_paths` is empty), so no file can be used.";
  return `Use a path below ${roots.map(({ written }) => written).join(" or ")}.`;
}
