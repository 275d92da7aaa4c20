import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { cassetteExtension } from "../../../contracts/daemon/cassette-file.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";

/** What is kept of cassettes, over all tenants; the oldest go first. */
export interface CassetteLimits {
  days: number;
  bytesMax: number;
  filesMax: number;
}

export const cassetteLimitsDefault: CassetteLimits = {
  days: 7,
  bytesMax: 256 * 1024 * 1024,
  filesMax: 5_000,
};

const pruneEveryMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
/** Nothing takes that long to be written. */
const unfinishedMs = 60 * 60 * 1000;

/** Removes cassettes that are older or more than is kept: once an hour, and as soon as new ones pass the limit. */
export class CassetteRetention {
  readonly #path: string;
  readonly #limits: CassetteLimits;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Bytes in the folder, as far as is known; undefined until it has been looked at. */
  #bytes: number | undefined;

  constructor(path: string, limits: CassetteLimits, clock: Clock, log: Logger) {
    this.#path = path;
    this.#limits = limits;
    this.#clock = clock;
    this.#log = log;
  }

  /** A cassette of this size has been written. */
  async added(bytes: number): Promise<void> {
    if (this.#bytes !== undefined) this.#bytes += bytes;
    if (this.#bytes === undefined || this.#bytes > this.#limits.bytesMax) await this.prune();
  }

  /** Removes what is not to be kept; the number of files removed. Never throws: what can't be removed stays. */
  async prune(): Promise<number> {
    const files = await filesBelow(this.#path);
    const nowMs = this.#clock.now().getTime();
    const oldest = nowMs - this.#limits.days * dayMs;
    let bytes = 0;
    let kept = 0;
    let removed = 0;
    // The newest are counted first.
    for (const file of files.sort((a, b) => b.writtenMs - a.writtenMs || (a.path < b.path ? 1 : -1))) {
      if (file.isUnfinished && file.writtenMs > nowMs - unfinishedMs) continue;
      const fits = bytes + file.bytes <= this.#limits.bytesMax && kept < this.#limits.filesMax;
      if (!file.isUnfinished && fits && file.writtenMs >= oldest) {
        bytes += file.bytes;
        kept++;
      } else if (await removeFile(file.path)) removed++;
    }
    this.#bytes = bytes;
    if (removed > 0) this.#log.debug("cassettes.pruned", { removed });
    return removed;
  }

  worker(): Worker {
    return {
      name: "cassette-pruner",
      run: async (signal) => {
        while (!signal.aborted) {
          await sleep(this.#clock, pruneEveryMs, signal).catch(() => undefined);
          if (!signal.aborted) await this.prune();
        }
      },
    };
  }
}

interface KeptFile {
  path: string;
  bytes: number;
  writtenMs: number;
  /** Left behind by a process that ended while it wrote. */
  isUnfinished: boolean;
}

async function filesBelow(folder: string): Promise<KeptFile[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files: KeptFile[] = [];
  for (const name of names) {
    const isUnfinished = name.endsWith(`${cassetteExtension}.tmp`);
    if (!isUnfinished && !name.endsWith(cassetteExtension)) continue;
    const path = join(folder, name);
    const status = await stat(path).catch(() => undefined);
    if (status?.isFile() === true)
      files.push({ path, bytes: status.size, writtenMs: status.mtimeMs, isUnfinished });
  }
  return files;
}

async function removeFile(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch {
    return false;
  }
}
