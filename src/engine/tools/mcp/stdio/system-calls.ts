import { dlopen, ptr } from "bun:ffi";

/** What a supervisor asks of the system. Each does nothing where the system has it not. */
export interface SystemCalls {
  /** From now on processes below whose parent ends become children of this one, so that none is lost sight of. */
  adoptOrphans(): void;
  /** Open files of each process from here on. */
  limitDescriptors(max: number): void;
  /** No memory is written to disk when a process crashes: it may hold secrets. */
  forbidCoreFiles(): void;
  /** Others go first where there is too little processor for all. */
  stepBack(): void;
  /** Lets go of an adopted process that has ended. */
  reap(pid: number): void;
}

const setChildSubreaper = 36;
const limitCore = 4;
const limitOpenFiles = 7;
const dontWait = 1;

/** The calls of Linux's C library. */
export function openSystemCalls(): SystemCalls {
  const symbols = openLibrary();
  const limit = (resource: number, max: number) => {
    const value = BigInt(max);
    // Kept in a variable: what `ptr` points at must outlive the call.
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
      // Another C library may have it.
    }
  }
  return undefined;
}
