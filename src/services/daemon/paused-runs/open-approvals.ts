import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Storage } from "../../../storage/storage.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { DaemonTables } from "../tables.ts";
import { approvalKeeper, recoverApprovals } from "./approval-keeper.ts";
import { type AwaitedAnswers, nothingAwaited } from "./awaited-answers.ts";
import { awaitedRuns } from "./awaited-runs.ts";
import { openPausedRuns, type PausedRuns } from "./paused-runs.ts";

export interface OpenedApprovals {
  /** Undefined without keys to seal paused runs. */
  pausedRuns: PausedRuns | undefined;
  /** Outcomes of the daemon's own waiting runs. */
  awaited: AwaitedAnswers;
  workers: readonly Worker[];
  /** Resolves when resumed runs have ended, including those whose caller has left. */
  ended(): Promise<void>;
}

export interface ApprovalParts {
  sealer: Sealer | undefined;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** Sets up approvals for the daemon's runs, on its storage. */
export async function openApprovals(
  { sealer, clock, newId, log }: ApprovalParts,
  storage: Storage<DaemonTables>,
): Promise<OpenedApprovals> {
  if (sealer === undefined)
    return { pausedRuns: undefined, awaited: nothingAwaited, workers: [], ended: async () => {} };
  const pausedRuns = openPausedRuns({ storage, sealer, clock, newId });
  await recoverApprovals(pausedRuns, log);
  return {
    pausedRuns,
    awaited: awaitedRuns(pausedRuns, operatorTenant),
    workers: [approvalKeeper(pausedRuns, log)],
    async ended() {
      await Promise.all(pausedRuns.resuming.values());
    },
  };
}
