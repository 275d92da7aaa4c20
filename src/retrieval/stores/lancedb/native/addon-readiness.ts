import { constants } from "node:fs";
import { access, mkdir, open, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../../kit/app-error.ts";
import { requireOwnFolder } from "../../../../kit/packages/own-folder.ts";
import { isPackageInstalled } from "../../../../kit/process/first-use-install.ts";
import { type AddonPlaces, addonFolders } from "./addon-folders.ts";
import { absentFault, noexecFault, unpackFault } from "./lance-addon-error.ts";
import { type LanceAddon, lanceAddon, type PackedAddon } from "./packed-addon.ts";
import { processMark } from "./process-mark.ts";
import { unpackedPath } from "./unpack-addon.ts";

/**
 * `installable`: the first use installs it (a program that runs from source); `unpacked`: it is there but not compared
 * yet; `packed`: there is room for it at the first use.
 */
export type AddonReadiness = "installed" | "installable" | "unpacked" | "packed";

/** Checks that LanceDB could be loaded, without loading or unpacking it. Throws AppError `vectors_unavailable`, as the first use would. */
export async function addonReadiness(
  places: AddonPlaces,
  addon: LanceAddon = lanceAddon,
): Promise<AddonReadiness> {
  if (addon.kind === "absent") throw absentFault(addon.target);
  if (addon.kind === "installed") return isPackageInstalled("@lancedb/lancedb") ? "installed" : "installable";
  const folders = addonFolders(places);
  for (const { path } of folders.slice(0, -1)) {
    const found = await readinessIn(path, addon)
      .then(async (readiness) => {
        await requireOwnFolder(path);
        return readiness;
      })
      .catch(() => undefined);
    if (found !== undefined) return found;
  }
  return readinessIn(folders.at(-1)?.path ?? places.dataFolder, addon);
}

async function readinessIn(folder: string, addon: PackedAddon): Promise<AddonReadiness> {
  const path = unpackedPath(folder, addon);
  const found = await stat(path).catch(() => undefined);
  if (found?.size === addon.sizeBytes) {
    await access(path, constants.X_OK).catch(() => {
      throw noexecFault(path);
    });
    return "unpacked";
  }
  await tryFolder(folder, path, addon);
  return "packed";
}

async function tryFolder(folder: string, path: string, { sizeBytes }: PackedAddon): Promise<void> {
  const probe = join(folder, `.probe-${processMark}.${crypto.randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await (await open(probe, "wx", 0o500)).close();
    await access(probe, constants.X_OK).catch(() => {
      throw noexecFault(path);
    });
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < sizeBytes)
      throw Object.assign(new Error("The disk is too small."), { code: "ENOSPC" });
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : unpackFault(thrown, folder, sizeBytes);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}
