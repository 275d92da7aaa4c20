import { toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";
import { aloneWorker } from "../../../storage/alone.ts";
import { sweepCounted } from "../../../storage/counted-work.ts";
import type { Storage } from "../../../storage/storage.ts";
import { isStorageAway } from "../../../storage/until-stored.ts";
import type { PlatformMetrics } from "../metrics/platform-metrics.ts";
import type { PlatformTables } from "../tables.ts";
import { closePeriod } from "./close-period.ts";
import { duePeriods } from "./due-periods.ts";

const everyMs = 15 * 60_000;

export interface ClosingJob {
  storage: Storage<PlatformTables>;
  clock: Clock;
  newId: NewId;
  log: Logger;
  metrics: Pick<PlatformMetrics, "periodClosed">;
  /** Id of this process. */
  owner: string;
}

/** Closes due periods at the start and every 15 minutes. If several processes share the database, one of them does. */
export const closingJob = (job: ClosingJob): Worker =>
  aloneWorker("billing-closing", everyMs, job, (signal) => closeDue(job, signal));

/**
 * Closes every due period in its own transaction; a failure does not affect the others, and neither does a period with which three
 * processes died. Returns the number of closed periods.
 */
export async function closeDue(
  {
    storage,
    clock,
    newId,
    log,
    metrics,
    owner,
  }: Omit<ClosingJob, "metrics"> & Partial<Pick<ClosingJob, "metrics">>,
  signal?: AbortSignal,
): Promise<number> {
  let closed = 0;
  await sweepCounted(storage, await duePeriods(storage.read, storage.tables, clock.now()), {
    kind: "period_closing",
    owner,
    log,
    signal,
    keyOf: ({ tenantId, scope, month }) => `${tenantId}/${scope}/${month}`,
    async work(key) {
      try {
        if (await closePeriod(storage, key, { now: clock.now(), newId })) {
          closed++;
          metrics?.periodClosed("closed");
        }
      } catch (thrown) {
        if (isStorageAway(thrown)) throw thrown;
        metrics?.periodClosed("failed");
        log.error("billing.close_failed", { ...key, code: toAppError(thrown).code, err: thrown });
      }
    },
  });
  if (closed > 0) log.info("billing.closed", { periods: closed });
  return closed;
}
