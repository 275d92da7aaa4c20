import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

const shell = "/bin/sh";

/** If the system does not support the limit, `ulimit` fails silently and the command runs without it. */
const script = (kibibytes: number) => `ulimit -v ${kibibytes} 2>/dev/null; ulimit -c 0; exec "$@"`;

/**
 * Returns the command under a limit of its address space. A shell sets the limit and then becomes the command; Bun needs 256 MiB to start.
 * Without a shell, as in the smallest containers, the command has no such limit, and only its memory is watched.
 */
export function limitedCommand(
  command: readonly string[],
  ownPid: number,
  addressSpaceBytes: number,
): string[] {
  if (!existsSync(shell)) return [...command];
  // In the shell, /proc/self/exe would be the shell itself.
  const [program, ...rest] = command;
  const named = program === "/proc/self/exe" ? `/proc/${ownPid}/exe` : program;
  const limits = script(Math.floor(addressSpaceBytes / 1024));
  return [shell, "-c", limits, "argosy", ...(named === undefined ? [] : [named]), ...rest];
}

/** Returns the resident memory of a process in bytes, or undefined if the system does not report it or the process is gone. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  if (process.platform !== "linux") return undefined;
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** Returns the time that a process's main thread has computed, in milliseconds, or undefined if the system does not report it. */
export function cpuTimeMs(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // https://docs.kernel.org/scheduler/sched-stats.html: the first number is the time on a CPU in nanoseconds.
    const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}
