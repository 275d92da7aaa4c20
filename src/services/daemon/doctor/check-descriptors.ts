import { readdir, readFile } from "node:fs/promises";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { descriptorShortage } from "../../../kit/process/descriptor-shortage.ts";

type Finding = Omit<DoctorCheck, "name">;

/** A server with a few hundred connections and its databases needs this many descriptors. */
const comfortable = 1024;
/** Above this share of the limit, the next burst of connections may exceed it. */
const crowdedShare = 0.8;
const mend = "run `ulimit -n 65536`, or set LimitNOFILE=65536 in systemd, then restart Argosy";

/** Number of open files and connections of this process, and their limit. */
export interface DescriptorUse {
  /** The soft limit; Bun raises it to the hard limit when the process starts. */
  limit: number;
  open: number;
}

/** The doctor's check of open files; `read` returns undefined on a system without this information. */
export async function checkDescriptors(
  read: () => Promise<DescriptorUse | undefined> = readUse,
): Promise<Finding> {
  try {
    const use = await read();
    if (use === undefined)
      return { status: "healthy", message: "This system does not report the number of open files." };
    const { limit, open } = use;
    const message = `${open} of ${limit} files and connections are open.`;
    if (open >= limit * crowdedShare) return { status: "failing", message, mend };
    if (limit < comfortable) return { status: "degraded", message, mend };
    return { status: "healthy", message };
  } catch (thrown) {
    const shortage = descriptorShortage(thrown);
    if (shortage === undefined) throw thrown;
    return { status: "failing", message: shortage.message, mend };
  }
}

async function readUse(): Promise<DescriptorUse | undefined> {
  if (process.platform !== "linux") return undefined;
  const limits = await readFile("/proc/self/limits", "utf8");
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return { limit, open: (await readdir("/proc/self/fd")).length };
}
