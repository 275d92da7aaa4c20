import { readFile } from "node:fs/promises";

/** The memory that a process has in use, in bytes; undefined where the system does not tell, or the process is gone. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  if (process.platform !== "linux") return undefined;
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
