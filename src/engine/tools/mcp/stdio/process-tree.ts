import { readdirSync, readFileSync } from "node:fs";

/** One process below another, as the system shows it. */
export interface TreeProcess {
  pid: number;
  /** Ended, and not yet asked about by its parent. */
  isZombie: boolean;
  /** Memory of its own, in bytes: what is shared with others by mapping the same file counts for nobody. */
  memoryBytes: number;
}

/**
 * Every process below `root`, however deep, those that left its group or session among them. Linux only: elsewhere, and
 * where /proc is closed, there is none to be seen.
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

/** A child belongs to the thread that started it. */
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

/** A process may be gone between two looks. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
