import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export interface FolderSize {
  /** Name below the measured folder; `.` for the files directly in it. */
  name: string;
  sizeBytes: number;
  files: number;
  /** False if the limit of files ended the count. */
  isComplete: boolean;
}

/**
 * Measures each folder in `path` by the sizes of its files, `filesMax` in all. Symbolic links aren't followed, and files that go away
 * meanwhile count as nothing. Top-level files for which `isSkipped` returns true aren't counted.
 */
export async function measureFolders(
  path: string,
  { filesMax, isSkipped }: { filesMax: number; isSkipped: (name: string) => boolean },
): Promise<FolderSize[]> {
  let left = filesMax;
  const count = async (size: FolderSize, folder: string, entries: readonly Dirent[]): Promise<void> => {
    for (const entry of entries) {
      if (left === 0) {
        size.isComplete = false;
        return;
      }
      const inner = join(folder, entry.name);
      if (entry.isDirectory()) await count(size, inner, await entriesOf(inner));
      else if (entry.isFile()) {
        left--;
        size.sizeBytes += (await stat(inner).catch(() => undefined))?.size ?? 0;
        size.files++;
      }
    }
  };
  const sizes: FolderSize[] = [];
  const measure = async (name: string, folder: string, entries: readonly Dirent[]) => {
    const size: FolderSize = { name, sizeBytes: 0, files: 0, isComplete: true };
    await count(size, folder, entries);
    sizes.push(size);
  };
  const top = await entriesOf(path);
  await measure(
    ".",
    path,
    top.filter((entry) => entry.isFile() && !isSkipped(entry.name)),
  );
  for (const entry of top)
    if (entry.isDirectory())
      await measure(entry.name, join(path, entry.name), await entriesOf(join(path, entry.name)));
  return sizes;
}

const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch(() => []);
