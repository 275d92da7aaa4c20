import { constants, type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type FileReach, fileFault, isInside, isOffLimits, pathRefused } from "./file-reach.ts";
import type { FilePlace } from "./locate.ts";
import { isSame, moved, pinPath } from "./pin-path.ts";

/** On Linux the pinned path is itself a link to the descriptor. */
const noFollow = process.platform === "linux" ? 0 : (constants.O_NOFOLLOW ?? 0);
const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0) | noFollow;

/**
 * Reads all bytes of a regular file below the place's root; links are followed if they lead there. The opened file is the one that was
 * checked. Throws AppError `path_refused`, also for a file of more than `bytesMax`.
 */
export async function readInside(place: FilePlace, reach: FileReach, bytesMax: number): Promise<Uint8Array> {
  try {
    const pinned = await pinPath(join(place.root.real, ...place.names));
    try {
      const { real, stats, path } = pinned;
      if (!isInside(place.root.real, real)) {
        throw pathRefused("This path leads outside of what the tool may read; use another one.");
      }
      if (isOffLimits(reach, real)) throw pathRefused("This file is off limits for tools; use another one.");
      if (!stats.isFile()) throw pathRefused("This path is not a regular file; name a file.");
      const handle = await open(path, readOnly);
      try {
        if (!isSame(await handle.stat({ bigint: true }), stats)) throw moved();
        await pinned.confirm();
        return await readBounded(handle, Number(stats.size), bytesMax);
      } finally {
        await handle.close();
      }
    } finally {
      await pinned.close();
    }
  } catch (thrown) {
    throw fileFault(thrown);
  }
}

/** Reads one byte more than the reported size, because the file may grow or report no size. */
async function readBounded(handle: FileHandle, size: number, bytesMax: number): Promise<Uint8Array> {
  if (size > bytesMax) throw tooLarge(bytesMax);
  let bytes = new Uint8Array(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, null);
    length += bytesRead;
    if (bytesRead === 0) return bytes.subarray(0, length);
    if (length > bytesMax) throw tooLarge(bytesMax);
    if (length === bytes.length) {
      const longer = new Uint8Array(Math.min(2 * length, bytesMax + 1));
      longer.set(bytes);
      bytes = longer;
    }
  }
}

const tooLarge = (bytesMax: number) =>
  pathRefused(`This file is larger than the ${bytesMax} bytes that can be read; use a smaller one.`);
