import { dlopen, ptr } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";

/** A process below another one. */
export interface TreeProcess {
  pid: number;
  /** Has ended, but its parent has not collected its status. */
  isZombie: boolean;
  /** Private memory in bytes, without mapped files shared with other processes. */
  memoryBytes: number;
}

/**
 * Every process below `root`, at any depth, including those that left its group or session. Empty on systems other than Linux, and if /proc
 * is not readable.
 */
export function processesBelow(root: number): TreeProcess[] {
  const found = new Map<number, TreeProcess>();
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of childrenOf(pid)) {
      if (found.has(child)) continue;
      const seen = look(child);
      if (seen === undefined) continue;
      found.set(child, seen);
      waiting.push(child);
    }
  }
  return [...found.values()];
}

/** A child is listed under the thread that started it. */
function childrenOf(pid: number): number[] {
  const threads = quietly(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap((thread) => {
    const text = quietly(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")) ?? "";
    return text.split(" ").filter(Boolean).map(Number);
  });
}

function look(pid: number): TreeProcess | undefined {
  const status = quietly(() => readFileSync(`/proc/${pid}/status`, "latin1"));
  if (status === undefined) return undefined;
  const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return {
    pid,
    isZombie: /^State:\s+[ZX]/m.test(status),
    memoryBytes: (kib("RssAnon") + kib("RssShmem") + kib("VmSwap")) * 1024,
  };
}

/** The process may have ended in between. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** System calls of a supervisor. Each does nothing on systems without it. */
export interface SystemCalls {
  /** Makes orphaned descendants children of this process, so that all remain visible. */
  adoptOrphans(): void;
  /** Limits the open files of each process from here on. */
  limitDescriptors(max: number): void;
  /** Prevents core dumps, which may contain secrets. */
  forbidCoreFiles(): void;
  /** Lowers the priority in favour of other processes. */
  stepBack(): void;
  /** Reaps an adopted process that has ended. */
  reap(pid: number): void;
}

const setChildSubreaper = 36;
const limitCore = 4;
const limitOpenFiles = 7;
const dontWait = 1;

/** System calls through Linux's C library. */
export function openSystemCalls(): SystemCalls {
  const symbols = openLibrary();
  const limit = (resource: number, max: number) => {
    const value = BigInt(max);
    // The variable keeps the memory behind `ptr` alive during the call.
    const pair = new BigUint64Array([value, value]);
    symbols?.setrlimit(resource, ptr(pair));
  };
  return {
    adoptOrphans: () => void symbols?.prctl(setChildSubreaper, 1n, 0n, 0n, 0n),
    limitDescriptors: (max) => limit(limitOpenFiles, max),
    forbidCoreFiles: () => limit(limitCore, 0),
    stepBack: () => void symbols?.setpriority(0, 0, 5),
    reap: (pid) => void symbols?.waitpid(pid, null, dontWait),
  };
}

function openLibrary() {
  if (process.platform !== "linux") return undefined;
  for (const name of ["libc.so.6", "libc.so"]) {
    try {
      return dlopen(name, {
        prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
        setrlimit: { args: ["i32", "ptr"], returns: "i32" },
        setpriority: { args: ["i32", "u32", "i32"], returns: "i32" },
        waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
      }).symbols;
    } catch {
      // Another C library may be present.
    }
  }
  return undefined;
}
