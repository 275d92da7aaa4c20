import type { BigIntStats } from "node:fs";
import { lstat, open, readlink, realpath } from "node:fs/promises";
import { pathRefused } from "./file-reach.ts";

/** O_PATH: opens no device, waits for no pipe and reads nothing; the descriptor only identifies the file. Same value on x86 and ARM. */
const O_PATH = 0o10000000;

/** A file or folder after a single lookup. */
export interface PinnedPath {
  /** Real path with every link resolved. */
  real: string;
  stats: BigIntStats;
  /**
   * A path to the pinned file for further calls. On Linux it leads to that file even if names change afterwards. On other systems it is the
   * real path: an attacker who replaces folders by links at the right moment can redirect a call.
   */
  path: string;
  /** Throws AppError `path_refused` if the name now leads elsewhere and `path` may have been redirected. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** Looks up a path, following links, without side effects on the target. */
export function pinPath(path: string): Promise<PinnedPath> {
  return process.platform === "linux" ? pinByDescriptor(path) : pinByName(path);
}

async function pinByDescriptor(path: string): Promise<PinnedPath> {
  const handle = await open(path, O_PATH);
  try {
    const own = `/proc/self/fd/${handle.fd}`;
    const real = await readlink(own);
    const [stats, named] = await Promise.all([handle.stat({ bigint: true }), lstat(real, { bigint: true })]);
    // Removed, moved, or on another mount with similar paths.
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

/** Returns true if both are the same file on the same file system. */
export function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Error if names changed while a path was looked up. */
export function moved() {
  return pathRefused("The file was moved while it was opened; try again.");
}
