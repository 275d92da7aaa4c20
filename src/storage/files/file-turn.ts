import { Database, SQLiteError } from "bun:sqlite";
import { dirname } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import { type Clock, sleep } from "../../kit/clock.ts";
import { giveToOwner } from "./give-to-owner.ts";

const againMs = 50;
const patienceMs = 30_000;

/**
 * Runs `work` while no other process, and no other caller in this one, does so under the same path. It takes SQLite's exclusive lock on an
 * otherwise empty file: the kernel releases it when the process ends, even after kill -9. Throws 503 `too_busy` after 30 seconds.
 */
export async function fileTurn<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const giveUpAt = clock.now().getTime() + patienceMs;
  for (;;) {
    using lock = tryLock(path);
    if (lock !== undefined) return await work();
    if (clock.now().getTime() >= giveUpAt) {
      throw new AppError("unavailable", "too_busy", `Another process has held ${path} for 30 seconds.`, {
        details: { retryAfterSeconds: 1 },
      });
    }
    await sleep(clock, againMs);
  }
}

function tryLock(path: string): Database | undefined {
  const lock = new Database(path);
  try {
    lock.run("BEGIN EXCLUSIVE");
    // A root command may be the first one here.
    giveToOwner(dirname(path), path);
    return lock;
  } catch (cause) {
    lock.close();
    if (cause instanceof SQLiteError && cause.code?.startsWith("SQLITE_BUSY")) return undefined;
    throw cause;
  }
}
