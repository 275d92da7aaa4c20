import { join, resolve } from "node:path";
import { AppError } from "../../../../kit/app-error.ts";
import type { Logger } from "../../../../kit/log.ts";
import { type AddonPlaces, addonFolders } from "./addon-folders.ts";
import { absentFault, codeOf, loadFault, vectorsUnavailable } from "./lance-addon-error.ts";
import { importLance, type LanceLibrary } from "./lance-library.ts";
import { forgetCached, releasePackedFiles } from "./mapped-files.ts";
import { limitNativeBuffers, limitNativeHeaps } from "./native-memory.ts";
import { setNativeVariable } from "./native-variable.ts";
import { type LanceAddon, lanceAddon } from "./packed-addon.ts";
import { openTemporaryFolder } from "./temporary-folder.ts";
import { unpackOnce } from "./unpack-addon.ts";

/** The data folder contains `tmp/`, and `native/` with the unpacked addon if the user's cache can't. */
export interface LoadLanceOptions extends AddonPlaces {
  log: Logger;
  /** Replaces this program's own addon. */
  addon?: LanceAddon;
}

/** Returns LanceDB. Throws AppError `vectors_unavailable`, and tries again at the next call. */
export type LoadLance = () => Promise<LanceLibrary>;

/**
 * Creates a loader that loads LanceDB at its first call; one loader serves a process. An executable first unpacks the addon, once
 * for all workspaces of the user.
 */
export function createLanceLoader(options: LoadLanceOptions): LoadLance {
  let loading: Promise<LanceLibrary> | undefined;
  return () => {
    loading ??= load(options).catch((thrown) => {
      loading = undefined;
      throw thrown;
    });
    return loading;
  };
}

async function load({
  dataFolder,
  cacheFolder,
  log,
  addon = lanceAddon,
}: LoadLanceOptions): Promise<LanceLibrary> {
  if (addon.kind === "absent") throw absentFault(addon.target);
  // Absolute, because native code may have another working directory.
  const folder = resolve(dataFolder);
  const path =
    addon.kind === "packed"
      ? await unpackOnce(addon, addonFolders({ dataFolder: folder, cacheFolder }), log)
      : undefined;
  await prepareNative(join(folder, "tmp"));
  try {
    if (path !== undefined) forgetCached(path);
    const library = await importLance(path);
    if (path !== undefined) releasePackedFiles();
    return library;
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : loadFault(thrown, path);
  }
}

/**
 * Prepares for LanceDB's native code, which ends the whole process if it can't create its temporary folder, and writes its own lines into
 * the log.
 */
async function prepareNative(folder: string): Promise<void> {
  const temporary = await openTemporaryFolder(folder).catch((thrown) => {
    const why = codeOf(thrown) === "ENOSPC" ? "its disk is full" : "it can't be written to";
    throw vectorsUnavailable(
      `LanceDB needs a folder for temporary files in ${folder}, and ${why}.`,
      "Free some space or make the data folder writable, or move it with ARGOSY_DATA.",
      thrown,
    );
  });
  limitNativeHeaps();
  limitNativeBuffers();
  setNativeVariable("TMPDIR", temporary);
  setNativeVariable("LANCEDB_LOG", "off");
}
