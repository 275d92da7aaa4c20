import { temporaryFolder } from "./temp-folder.ts";

/** A separate file system in memory, removed at the end of the `using` block. */
export interface SmallDisk extends Disposable {
  path: string;
  /** Makes it read-only from now on. */
  makeReadOnly(): void;
}

const run = (...command: string[]): boolean => Bun.spawnSync(command).success;

/** Why the suites that need a small disk are skipped; undefined if they can run. */
export const smallDiskMissing = canMount() ? undefined : "mounting needs root";

function canMount(): boolean {
  if (process.getuid?.() !== 0 || Bun.which("mount") === null) return false;
  using folder = temporaryFolder();
  return run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path) && run("umount", folder.path);
}

/** Mounts a disk; with `noexec`, no file on it can be executed. */
export function smallDisk(kibibytes: number, { noexec = false } = {}): SmallDisk {
  const folder = temporaryFolder();
  const { path } = folder;
  if (!run("mount", "-t", "tmpfs", "-o", `size=${kibibytes}k${noexec ? ",noexec" : ""}`, "tmpfs", path))
    throw new Error(`Can't mount ${path}.`);
  return {
    path,
    makeReadOnly: () => void run("mount", "-o", "remount,ro", path),
    [Symbol.dispose]() {
      run("umount", "--lazy", path);
      folder[Symbol.dispose]();
    },
  };
}
