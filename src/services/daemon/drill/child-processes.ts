import { readdirSync, readFileSync } from "node:fs";

/** Ids of a process's children whose command line contains `text`; none on a system without /proc. */
export function childrenOf(parent: number, text: string): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^[0-9]+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === parent && read(`/proc/${pid}/cmdline`).includes(text));
  } catch {
    return [];
  }
}

/** The fourth field of `stat`; the second, the name, may contain spaces and brackets. */
function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Returns an empty text for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
