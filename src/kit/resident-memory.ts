import { readFile } from "node:fs/promises";

/** Returns the resident memory of a process in bytes, or undefined if the system does not report it or the process is gone. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  if (process.platform !== "linux") return undefined;
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
