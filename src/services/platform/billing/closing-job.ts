import { toAppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";
import { whileLeased } from "../../../storage/lease.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { PlatformMetrics } from "../metrics/platform-metrics.ts";
import type { PlatformTables } from "../tables.ts";
import { closePeriod } from "./close-period.ts";
import { duePeriods } from "./due-periods.ts";

const everyMs = 15 * 60_000;
/** With the wait of a third of it, another process takes over within 12 seconds. */
const leaseMs = 9_000;

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
export function closingJob(job: ClosingJob): Worker {
  return {
    name: "billing-closing",
    run: (signal) =>
      whileLeased(
        job.storage,
        {
          name: "billing-closing",
          owner: job.owner,
          ttlMs: leaseMs,
          clock: job.clock,
          async work(_lease, leased) {
            while (!leased.aborted) {
              await closeDue(job, leased);
              await sleep(job.clock, everyMs, leased).catch(() => undefined);
            }
          },
        },
        signal,
      ),
  };
}

/** Closes every due period in its own transaction; a failure does not affect the others. Returns the number of closed periods. */
export async function closeDue(
  {
    storage,
    clock,
    newId,
    log,
    metrics,
  }: Omit<ClosingJob, "owner" | "metrics"> & Partial<Pick<ClosingJob, "metrics">>,
  signal?: AbortSignal,
): Promise<number> {
  let closed = 0;
  for (const key of await duePeriods(storage.read, storage.tables, clock.now())) {
    if (signal?.aborted) break;
    try {
      if (await closePeriod(storage, key, { now: clock.now(), newId })) {
        closed++;
        metrics?.periodClosed("closed");
      }
    } catch (thrown) {
      metrics?.periodClosed("failed");
      log.error("billing.close_failed", { ...key, code: toAppError(thrown).code, err: thrown });
    }
  }
  if (closed > 0) log.info("billing.closed", { periods: closed });
  return closed;
}
