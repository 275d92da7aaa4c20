import { dlopen, ptr } from "bun:ffi";

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
