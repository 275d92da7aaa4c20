import { statfsSync } from "node:fs";

/** Whether the disk of a database still has the room that is kept for those who store little. */
export interface DiskReserve {
  isUsed(): boolean;
}

const reserveShare = 0.05;
const reserveBytesMax = 1024 ** 3;
/** How long one look at the disk holds. */
const lookMs = 1000;

/** The reserve of a folder's disk: a twentieth of it, at most 1 GiB. A disk that can't be looked at counts as roomy. */
export function diskReserve(folder: string, nowMs: () => number): DiskReserve {
  let look = { at: Number.NEGATIVE_INFINITY, isUsed: false };
  return {
    isUsed() {
      const at = nowMs();
      if (at - look.at >= lookMs) look = { at, isUsed: isUsedIn(folder) };
      return look.isUsed;
    },
  };
}

/** For a database server, which has a disk of its own. */
export const noReserve: DiskReserve = { isUsed: () => false };

function isUsedIn(folder: string): boolean {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return bavail * bsize < Math.min(blocks * bsize * reserveShare, reserveBytesMax);
  } catch {
    return false;
  }
}
