import { join, resolve } from "node:path";
import { AppError } from "../../../../kit/app-error.ts";
import type { Logger } from "../../../../kit/log.ts";
import { absentFault, codeOf, loadFault, vectorsUnavailable } from "./lance-addon-error.ts";
import { importLance, type LanceLibrary } from "./lance-library.ts";
import { limitNativeHeaps } from "./native-memory.ts";
import { setNativeVariable } from "./native-variable.ts";
import { type LanceAddon, lanceAddon } from "./packed-addon.ts";
import { openTemporaryFolder } from "./temporary-folder.ts";
import { unpackAddon } from "./unpack-addon.ts";

export interface LoadLanceOptions {
  /** Gets `native/`, with the unpacked addon, and `tmp/`. */
  dataFolder: string;
  log: Logger;
  /** Another than this program's own. */
  addon?: LanceAddon;
}

/** LanceDB. Throws AppError `vectors_unavailable`, and tries again at the next call. */
export type LoadLance = () => Promise<LanceLibrary>;

/**
 * Loads LanceDB at the first call and not before; one of these serves a process. An executable unpacks the addon into the data
 * folder first.
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

async function load({ dataFolder, log, addon = lanceAddon }: LoadLanceOptions): Promise<LanceLibrary> {
  if (addon.kind === "absent") throw absentFault(addon.target);
  // Native code knows nothing of the folder that a path here is relative to.
  const folder = resolve(dataFolder);
  const path = addon.kind === "packed" ? await unpackAddon(addon, join(folder, "native"), log) : undefined;
  await prepareNative(join(folder, "tmp"));
  try {
    return await importLance(path);
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : loadFault(thrown, path);
  }
}

/** LanceDB ends the whole process when it can't make its temporary folder, and writes its own lines between those of the log. */
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
  setNativeVariable("TMPDIR", temporary);
  setNativeVariable("LANCEDB_LOG", "off");
}
