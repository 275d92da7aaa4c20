import { dlopen } from "bun:ffi";

/** M_ARENA_MAX of malloc.h. */
const arenaMax = -8;
/** Maximum heaps: with fewer, allocating threads wait for each other; each further heap keeps its peak size. */
const arenas = 2;

/**
 * Prevents glibc from giving each of LanceDB's threads its own heap. Most memory that small writes free there never returns to the system
 * (28 MB per 1,000 writes). Must be called before those threads start. Other systems don't need it.
 */
export function limitNativeHeaps(): void {
  if (process.platform !== "linux") return;
  try {
    const { symbols } = dlopen("libc.so.6", { mallopt: { args: ["i32", "i32"], returns: "i32" } });
    symbols.mallopt(arenaMax, arenas);
  } catch {
    // Another C library, with one heap for all threads.
  }
}
