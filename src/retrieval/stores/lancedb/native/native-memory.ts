import { dlopen } from "bun:ffi";

/** Parameters of mallopt in malloc.h. */
const parameters = { arenaMax: -8, mmapThreshold: -3 };
/** Threads that allocate at once wait for each other beyond so many; each more keeps what it once had. */
const arenas = 2;
/** Buffers from this size on are mapped alone, so that freeing one returns it. By itself, glibc raises this limit to 32 MiB. */
const mappedFromBytes = 256 * 1024;

/**
 * Prevents glibc from giving each of LanceDB's threads its own heap. Most memory that small writes free there never returns to the system
 * (28 MB per 1,000 writes). Must be called before those threads start. Other systems don't need it.
 */
export function limitNativeHeaps(): void {
  if (process.platform !== "linux") return;
  try {
    const { symbols } = dlopen("libc.so.6", { mallopt: { args: ["i32", "i32"], returns: "i32" } });
    symbols.mallopt(parameters.arenaMax, arenas);
    symbols.mallopt(parameters.mmapThreshold, mappedFromBytes);
  } catch {
    // Another C library, with one heap for all threads.
  }
}

/**
 * Returns what LanceDB has freed to the system, as glibc does of its own accord only at the end of each heap; a function that does
 * nothing on other systems. One call takes some milliseconds.
 */
export function heapTrimmer(): () => void {
  if (process.platform !== "linux") return () => {};
  try {
    const { symbols } = dlopen("libc.so.6", { malloc_trim: { args: ["usize"], returns: "i32" } });
    return () => void symbols.malloc_trim(0);
  } catch {
    return () => {};
  }
}
