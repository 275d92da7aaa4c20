import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory on Linux. */
const memory = "/dev/shm";

/** Free bytes that a run may need, several times the size of its files. */
const roomMin = 6 * 2 ** 30;

/**
 * Creates an empty folder for all temporary files of a run: in memory if there is room, otherwise in the system's temporary folder. On a
 * disk, the tests' databases wait for each commit, longest on a machine with other work.
 */
export function makeRunFolder(inMemory = memory): string {
  const folder = mkdtempSync(join(suits(inMemory) ? inMemory : tmpdir(), "argosy-run-"));
  // PostgreSQL runs as another user and needs access to its folder.
  chmodSync(folder, 0o711);
  return folder;
}

/** Returns true for a folder with room in it and in memory, where programs may be executed: tests copy some there. */
function suits(place: string): boolean {
  const probe = join(place, `argosy-probe-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < roomMin || freemem() < roomMin) return false;
    writeFileSync(probe, "", { mode: 0o700 });
    accessSync(probe, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}
