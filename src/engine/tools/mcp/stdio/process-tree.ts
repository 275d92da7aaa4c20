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
