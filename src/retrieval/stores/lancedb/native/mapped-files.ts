import { dlopen } from "bun:ffi";
import { closeSync, openSync, readFileSync } from "node:fs";

/** MADV_PAGEOUT of mman.h. */
const pageOut = 21;
/** POSIX_FADV_DONTNEED of fcntl.h. */
const dontNeed = 4;

/** A part of a file in the memory of this process. */
export interface Mapping {
  address: number;
  bytes: number;
  /** As in `r-xp`. */
  access: string;
  path: string;
}

/**
 * Removes a file from the system's cache. Linux maps what lies in the cache as one piece at once, so that after the whole addon has been
 * written or hashed, running parts of it would take all its 125 MB of code. Other systems don't need it.
 */
export function forgetCached(path: string): void {
  if (process.platform !== "linux") return;
  try {
    const { symbols } = dlopen("libc.so.6", {
      posix_fadvise: { args: ["i32", "i64", "i64", "i32"], returns: "i32" },
    });
    const file = openSync(path, "r");
    symbols.posix_fadvise(file, 0, 0, dontNeed);
    closeSync(file);
  } catch {
    // Another C library.
  }
}

/** Returns the memory of files packed into this executable (55 MB for the addon), which are mapped, and read only once. */
export function releasePackedFiles(): void {
  if (process.platform !== "linux") return;
  try {
    const { symbols } = dlopen("libc.so.6", { madvise: { args: ["u64", "u64", "i32"], returns: "i32" } });
    for (const { address, bytes, access, path } of mappingsOf(readFileSync("/proc/self/maps", "utf8")))
      if (path === process.execPath && access === "rw-p") symbols.madvise(address, bytes, pageOut);
  } catch {
    // Another C library, or a system without /proc.
  }
}

/** Reads the mappings of files from the text of `/proc/self/maps`. */
export function mappingsOf(maps: string): Mapping[] {
  return [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ [1-9]\d* +(\/.*)$/gm)].map(
    ([, from = "", to = "", access = "", path = ""]) => {
      const address = Number.parseInt(from, 16);
      return { address, bytes: Number.parseInt(to, 16) - address, access, path };
    },
  );
}
