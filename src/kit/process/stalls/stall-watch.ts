import { cc, ptr } from "bun:ffi";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import source from "./stall-watch.c" with { type: "text" };

export interface StallWatchOptions {
  clock: Clock;
  log: Logger;
  /** Format of the thread's own lines, which it writes to stderr. */
  format: "json" | "text";
  /** Folder of this user, for the moment that the compiler needs to read the thread's source. */
  folder: string;
  /** Default: `stallLimits`. */
  limits?: StallLimits;
}

export interface StallLimits {
  /** Silence of the main thread that is a stall. */
  stallSeconds: number;
  /** Time between SIGTERM and the end of a process whose main thread stays stalled. */
  graceSeconds: number;
}

/** An orderly stop may take 10 s; one that can't begin must not take longer. */
const stallLimits: StallLimits = { stallSeconds: 5, graceSeconds: 8 };

export interface StallWatch {
  /** Notes a request, for the log line of a stall. */
  note(method: string, url: string): void;
  close(): void;
}

/** Exit status after a signal, as for a second signal. */
const interrupted = 130;
const beatMs = 1000;

const requestAt = 32;
const requestBytes = 255;

const unwatched: StallWatch = { note() {}, close() {} };

/**
 * Watches the main thread from another one, on Linux: a stall is logged while it lasts, and SIGTERM ends a stalled process. Bun offers no
 * way to read the main thread's stack from another thread, so the line has the last request and the processor time that the thread has used.
 */
export function watchStalls({
  clock,
  log,
  format,
  folder,
  limits: { stallSeconds, graceSeconds } = stallLimits,
}: StallWatchOptions): StallWatch {
  if (process.platform !== "linux") return unwatched;
  const memory = new Uint8Array(requestAt + requestBytes + 1);
  const numbers = new Int32Array(memory.buffer, 0, requestAt / 4);
  numbers.set([0, 0, stallSeconds, graceSeconds, interrupted, format === "json" ? 1 : 0, process.pid]);
  let cancel = () => {};
  try {
    const library = compile(folder);
    if (library.symbols.start(ptr(memory)) !== 0) throw new Error("The thread could not be started.");
    // The thread reads its code and memory, and signals reach them, as long as the process lives: this listener refers to both.
    process.on("exit", () => {
      numbers[1] = 1;
      void library;
    });
  } catch (thrown) {
    log.warn("process.stalls_unwatched", { err: thrown });
    return unwatched;
  }
  const beat = (): void => {
    numbers[0] = ((numbers[0] ?? 0) + 1) | 0;
    const dueMs = clock.monotonicMs() + beatMs;
    cancel = clock.timer(beatMs, () => {
      const seconds = Math.round((clock.monotonicMs() - dueMs) / 1000);
      if (seconds >= stallSeconds) log.error("process.stall_ended", { seconds });
      beat();
    });
  };
  beat();
  const text = new TextEncoder();
  const request = memory.subarray(requestAt, requestAt + requestBytes);
  return {
    note(method, url) {
      // Behind scheme and host.
      const path = url.indexOf("/", 8);
      const { written } = text.encodeInto(
        `${method} ${path === -1 ? "/" : url.slice(path, path + 200)}`,
        request,
      );
      request[written] = 0;
    },
    close() {
      cancel();
      numbers[1] = 1;
    },
  };
}

function compile(folder: string) {
  const home = mkdtempSync(join(folder, "stall-watch-"));
  try {
    const path = join(home, "stall-watch.c");
    writeFileSync(path, source, { mode: 0o600, flag: "wx" });
    return cc({ source: path, symbols: { start: { args: ["ptr"], returns: "i32" } } });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
