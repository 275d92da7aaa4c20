import { AppError } from "../kit/app-error.ts";
import { type Clock, sleep } from "../kit/clock.ts";

/** Wait between two tries while the storage is away. A database that is back is noticed within this time. */
export const storageRetryMs = 1_000;

/** True for the error of a storage that can't be reached or written at the moment. */
export const isStorageAway = (thrown: unknown): boolean =>
  thrown instanceof AppError &&
  (thrown.code === "storage_unavailable" || thrown.code === "storage_login_refused");

/**
 * Does `write` until the storage takes it: again at once, then once a second while it is away, and at least once. Throws any other error, and the last one when
 * the signal aborts. For what a worker knows and the database must learn: `write` must be safe to repeat.
 */
export async function untilStored<Result>(
  clock: Clock,
  signal: AbortSignal,
  write: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (thrown) {
      if (!isStorageAway(thrown) || signal.aborted) throw thrown;
    }
    if (tries > 1) await sleep(clock, storageRetryMs, signal).catch(() => undefined);
  }
}

/**
 * Repeats `round` until the signal aborts. After one that the storage failed, waits a second and repeats it: unlike a restart, that leaves the
 * worker's work under way. Throws any other error.
 */
export async function roundsThroughOutages(
  clock: Clock,
  signal: AbortSignal,
  round: () => Promise<void>,
  failed: (thrown: unknown) => void,
): Promise<void> {
  let isAway = false;
  while (!signal.aborted) {
    try {
      await round();
      isAway = false;
    } catch (thrown) {
      if (!isStorageAway(thrown)) throw thrown;
      if (!isAway) failed(thrown);
      isAway = true;
      await sleep(clock, storageRetryMs, signal).catch(() => undefined);
    }
  }
}
