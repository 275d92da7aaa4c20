import type { Logger } from "../../../kit/log.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import type { PausedRuns } from "./paused-runs.ts";
import { holdMs } from "./resume-run.ts";
import { expireApprovals, failAbandoned, holdApprovals, pruneApprovals } from "./store.ts";

const everyMs = 30_000;
/** Same as the retention of answers kept for replay. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

/** Expires approvals with no decision in time, fails runs abandoned by a dead process, and deletes old rows. */
export function approvalKeeper(pausedRuns: PausedRuns, log: Logger): Worker {
  return repeatedWorker("approval-keeper", everyMs, pausedRuns.clock, () => keepApprovals(pausedRuns, log), {
    afterMs: everyMs,
  });
}

/** Does one round of the keeper's work. */
export async function keepApprovals({ storage, clock, owner, resuming }: PausedRuns, log: Logger) {
  const now = clock.now();
  await holdApprovals(storage, owner, [...resuming.keys()], new Date(now.getTime() + holdMs));
  const expired = await expireApprovals(storage, now);
  if (expired > 0) log.info("approvals.expired", { count: expired });
  const failed = await failAbandoned(storage, now, now);
  if (failed > 0) log.warn("approvals.abandoned", { count: failed });
  await pruneApprovals(storage, new Date(now.getTime() - keptMs));
}

/** Runs at startup. Only one process at a time opens a SQLite file, so every run it shows as resuming belongs to a dead process. */
export async function recoverApprovals({ storage, clock }: PausedRuns, log: Logger): Promise<void> {
  if (storage.dialect !== "sqlite") return;
  const failed = await failAbandoned(storage, clock.now(), undefined);
  if (failed > 0) log.warn("approvals.abandoned", { count: failed });
}
