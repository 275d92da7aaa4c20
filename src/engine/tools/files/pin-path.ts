import type { BigIntStats } from "node:fs";
import { lstat, open, readlink, realpath } from "node:fs/promises";
import { pathRefused } from "./path-refused.ts";

/** Opens no device, waits for no pipe, reads nothing: the descriptor only names what is there. The same on x86 and ARM. */
const O_PATH = 0o10000000;

/** A file or folder that was looked up once. */
export interface PinnedPath {
  /** Where it really is, every link resolved. */
  real: string;
  stats: BigIntStats;
  /**
   * A path to it for further calls. On Linux it leads to what was pinned even when names have been changed since. Elsewhere
   * it is the real path: somebody who replaces folders by links in the very moment can lead a call astray.
   */
  path: string;
  /** Throws AppError `path_refused` when the name now leads elsewhere and `path` may have been led astray. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** Looks up a path, following links, without any effect on what is there. */
export function pinPath(path: string): Promise<PinnedPath> {
  return process.platform === "linux" ? pinByDescriptor(path) : pinByName(path);
}

async function pinByDescriptor(path: string): Promise<PinnedPath> {
  const handle = await open(path, O_PATH);
  try {
    const own = `/proc/self/fd/${handle.fd}`;
    const real = await readlink(own);
    const [stats, named] = await Promise.all([handle.stat({ bigint: true }), lstat(real, { bigint: true })]);
    // Removed, moved, or of another mount whose paths only look like ours.
    if (!isSame(stats, named)) throw moved();
    return { real, stats, path: own, confirm: async () => {}, close: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

async function pinByName(path: string): Promise<PinnedPath> {
  const real = await realpath(path);
  const stats = await lstat(real, { bigint: true });
  const confirm = async () => {
    if ((await realpath(path)) !== real || !isSame(await lstat(real, { bigint: true }), stats)) throw moved();
  };
  return { real, stats, path: real, confirm, close: async () => {} };
}

/** Whether both are the same file of the same file system. */
export function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** What to say when names were changed while a path was looked up. */
export function moved() {
  return pathRefused("The file was moved while it was opened; try again.");
}
