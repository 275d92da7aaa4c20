import { dlopen } from "bun:ffi";
import { readFileSync } from "node:fs";
import { setNativeVariable } from "./native-variable.ts";

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

const mebibyte = 1024 ** 2;
/** With fewer open files allowed, a build of an index might take those that connections need. It opens two for each partition. */
const openFilesMin = 16_384;

/**
 * Bounds the rows that LanceDB holds while it compacts files and builds indexes. Must be called before the addon is loaded. The variables
 * replace those of the environment.
 */
export function limitNativeBuffers(): void {
  const limits = process.platform === "linux" ? readFileSync("/proc/self/limits", "utf8") : "";
  for (const [name, value] of Object.entries(bufferLimits(openFilesOf(limits))))
    setNativeVariable(name, String(value));
}

/** Returns variables for LanceDB in a process that may open `openFiles` files. */
export function bufferLimits(openFiles: number): Record<string, number> {
  return {
    // Bytes that one scan reads ahead of its decoder; by default 2 GiB, so that a compaction holds whole files.
    LANCE_DEFAULT_IO_BUFFER_SIZE: 16 * mebibyte,
    // Bytes of vectors that a build or update of an index sorts at once; by default 128 MiB.
    LANCE_SHUFFLE_BATCH_BYTES: 16 * mebibyte,
    // Sorts vectors into files of one partition, and reads one at a time instead of windows of 128 MiB, encoded and decoded.
    ...(openFiles >= openFilesMin ? { LANCE_LEGACY_SHUFFLER: 1 } : {}),
  };
}

/** Reads the number of files that a process may open from the text of `/proc/self/limits`; 0 if it is not told. */
export function openFilesOf(limits: string): number {
  const [, soft = "0"] = /^Max open files +(\d+|unlimited)/m.exec(limits) ?? [];
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
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
