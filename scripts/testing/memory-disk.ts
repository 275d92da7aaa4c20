import { mkdtempSync, rmSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** Free memory that a run needs for its files, several times what they take. */
const roomMinBytes = 6 * 2 ** 30;

/** Mounts a file system in memory over the folder `$0`, which other users may enter, and becomes the command that follows. */
const mountAndRun = 'mount -t tmpfs -o mode=711 tmpfs "$0" && exec "$@"';

/**
 * Returns a command that runs `command` with `folder` in memory: on a disk, tests wait for each commit of their databases, longest beside
 * other work. The mount belongs to a namespace of its own: only the command and its children see it, and it ends with the last of them.
 * Without the right to mount (Linux, root) or without room, the command is returned as it is, and its files are on the disk.
 */
export function withFolderInMemory(
  folder: string,
  command: string[],
  { isPossible = canMount(), freeBytes = freemem() } = {},
): string[] {
  if (!isPossible || freeBytes < roomMinBytes) return command;
  return [...mounting(folder), ...command];
}

const mounting = (folder: string) => ["unshare", "--mount", "sh", "-c", mountAndRun, folder];

/** Tries it: containers give root fewer rights. */
function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || Bun.which("unshare") === null) return false;
  const folder = mkdtempSync(join(tmpdir(), "argosy-mount-"));
  try {
    return Bun.spawnSync([...mounting(folder), "true"]).success;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
