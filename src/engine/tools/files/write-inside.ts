import { lstat, mkdir, open, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { type FileReach, fileFault, isInside, isOffLimits, pathRefused } from "./file-reach.ts";
import type { FilePlace } from "./locate.ts";
import { type PinnedPath, pinPath } from "./pin-path.ts";

const fileMode = 0o644;
const folderMode = 0o755;

/** Restrictions and name generator for writing. */
export interface WriteBounds {
  reach: FileReach;
  /** Returns a unique name for the temporary file. */
  newName: () => string;
}

/**
 * Writes a file below its root atomically and creates missing folders. Every folder is checked after it is opened, and the file is written
 * into that opened folder. A link at the path itself is refused. Returns whether the file is new.
 */
export async function writeInside(
  place: FilePlace,
  bytes: Uint8Array,
  bounds: WriteBounds,
): Promise<{ created: boolean }> {
  const open: PinnedPath[] = [];
  const made: string[] = [];
  try {
    const folder = await openFolders(place, bounds.reach, open, made);
    const name = place.names.at(-1) ?? "";
    if (isOffLimits(bounds.reach, join(folder.real, name))) throw offLimits();
    return await replaceFile(folder, name, bytes, bounds);
  } catch (thrown) {
    // Removes the folders created for the failed write if they are still empty.
    for (const path of made.reverse()) await rmdir(path).catch(() => {});
    throw fileFault(thrown);
  } finally {
    await Promise.all(open.map((folder) => folder.close()));
  }
}

/** Opens the file's folder, segment by segment from the root. */
async function openFolders(place: FilePlace, reach: FileReach, open: PinnedPath[], made: string[]) {
  const enter = async (path: string) => {
    const folder = await pinPath(path);
    open.push(folder);
    if (!isInside(place.root.real, folder.real)) {
      throw pathRefused("This path leads outside of what the tool may write; use another one.");
    }
    if (isOffLimits(reach, folder.real)) throw offLimits();
    if (!folder.stats.isDirectory()) throw pathRefused("A part of this path is a file, not a folder.");
    return folder;
  };
  let folder = await enter(place.root.real);
  for (const name of place.names.slice(0, -1)) {
    const path = join(folder.path, name);
    folder = await enter(path).catch(async (thrown: unknown) => {
      if (!hasCode(thrown, "ENOENT")) throw thrown;
      if (isOffLimits(reach, join(folder.real, name))) throw offLimits();
      await mkdir(path, folderMode).then(
        () => made.push(path),
        (fault: unknown) => {
          if (!hasCode(fault, "EEXIST")) throw fault;
        },
      );
      return enter(path);
    });
  }
  return folder;
}

async function replaceFile(
  folder: PinnedPath,
  name: string,
  bytes: Uint8Array,
  { newName }: WriteBounds,
): Promise<{ created: boolean }> {
  const target = join(folder.path, name);
  const old = await lstat(target).catch((thrown: unknown) => {
    if (hasCode(thrown, "ENOENT")) return undefined;
    throw thrown;
  });
  if (old?.isSymbolicLink()) throw pathRefused("This path is a link; write to another one.");
  if (old?.isDirectory()) throw pathRefused("This path is a folder; name a file.");
  if (old !== undefined && !old.isFile())
    throw pathRefused("This path is not a regular file; use another one.");
  const draft = join(folder.path, `.${newName()}.tmp`);
  try {
    const handle = await open(draft, "wx", fileMode);
    try {
      await handle.chmod(fileMode);
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await folder.confirm();
    await rename(draft, target);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
  return { created: old === undefined };
}

const offLimits = () => pathRefused("This path is off limits for tools; use another one.");

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}
