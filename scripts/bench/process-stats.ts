import { readdirSync, readFileSync } from "node:fs";

/** Returns the user and system time of a process, all its threads together, in ms; the kernel counts in steps of 10. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns the time that the living threads of a process ran, in ms; the kernel counts it in ns. */
export const threadsCpuMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, task) =>
      sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6,
    0,
  );

/** Like `cpuMs`, with the process's children, such as the one that renders tenants' templates. */
export function treeCpuMs(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean),
  );
  return children.reduce((sum, child) => sum + treeCpuMs(Number(child)), cpuMs(pid));
}

/** Returns the resident memory of a process in MiB. */
export const rssMib = (pid: number): number => statusMib(pid, "VmRSS");

/** Returns the most resident memory that a process ever had, in MiB. */
export const peakRssMib = (pid: number): number => statusMib(pid, "VmHWM");

function statusMib(pid: number, name: string): number {
  const kib = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}
