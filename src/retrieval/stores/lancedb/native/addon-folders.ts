import { join } from "node:path";

/** Folders that contain LanceDB's addon. */
export interface AddonPlaces {
  dataFolder: string;
  /** This user's folder for files that can be made again, shared by all workspaces; absent: there is none. */
  cacheFolder?: string | undefined;
}

/** A folder that the addon may be unpacked into. */
export interface AddonFolder {
  path: string;
  /** True if other workspaces, and other versions of this program, use it too. */
  isShared: boolean;
}

/** Folders for the addon in the order in which they are tried: the user's own, once for all workspaces, and the one of the data folder. */
export function addonFolders({ dataFolder, cacheFolder }: AddonPlaces): AddonFolder[] {
  const own = { path: join(dataFolder, "native"), isShared: false };
  return cacheFolder === undefined ? [own] : [{ path: join(cacheFolder, "native"), isShared: true }, own];
}
