import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { cassetteExtension } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";

/** Retention limits for the cassettes of all tenants together. The oldest are deleted first. */
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
/** No write takes this long. */
const unfinishedMs = 60 * 60 * 1000;

/** Deletes cassettes that are too old or exceed the limits: every hour, and as soon as new ones exceed the byte limit. */
export class CassetteRetention {
  readonly #path: string;
  readonly #limits: CassetteLimits;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Bytes in the folder; undefined until the first scan. */
  #bytes: number | undefined;

  constructor(path: string, limits: CassetteLimits, clock: Clock, log: Logger) {
    this.#path = path;
    this.#limits = limits;
    this.#clock = clock;
    this.#log = log;
  }

  /** Records that a cassette of this size was written. */
  async added(bytes: number): Promise<void> {
    if (this.#bytes !== undefined) this.#bytes += bytes;
    if (this.#bytes === undefined || this.#bytes > this.#limits.bytesMax) await this.prune();
  }

  /** Deletes cassettes over the limits and returns their number. Never throws: files that can't be deleted stay. */
  async prune(): Promise<number> {
    const files = await filesBelow(this.#path);
    const nowMs = this.#clock.now().getTime();
    const oldest = nowMs - this.#limits.days * dayMs;
    let bytes = 0;
    let keptBytes = 0;
    let removed = 0;
    // Counts the newest first.
    for (const file of files.sort((a, b) => b.writtenMs - a.writtenMs || (a.path < b.path ? 1 : -1))) {
      if (file.isUnfinished && file.writtenMs > nowMs - unfinishedMs) continue;
      const fits = bytes + file.bytes <= this.#limits.bytesMax && keptBytes < this.#limits.filesMax;
      if (!file.isUnfinished && fits && file.writtenMs >= oldest) {
        bytes += file.bytes;
        keptBytes++;
      } else if (await removeFile(file.path)) removed++;
    }
    this.#bytes = bytes;
    if (removed > 0) this.#log.debug("cassettes.pruned", { removed });
    return removed;
  }

  worker(): Worker {
    return repeatedWorker("cassette-pruner", pruneEveryMs, this.#clock, () => this.prune(), {
      afterMs: pruneEveryMs,
    });
  }
}

interface KeptFile {
  path: string;
  bytes: number;
  writtenMs: number;
  /** True if a process ended while it wrote the file. */
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
