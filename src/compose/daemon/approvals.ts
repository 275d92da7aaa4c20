import { type AwaitedAnswers, nothingAwaited } from "../../channels/inbox/awaited-answers.ts";
import type { Worker } from "../../kit/worker.ts";
import { operatorTenant } from "../../services/daemon/operator-tenant.ts";
import { approvalKeeper, recoverApprovals } from "../../services/daemon/paused-runs/approval-keeper.ts";
import { awaitedRuns } from "../../services/daemon/paused-runs/awaited-runs.ts";
import { openPausedRuns, type PausedRuns } from "../../services/daemon/paused-runs/paused-runs.ts";
import type { DaemonTables } from "../../services/daemon/tables.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Foundation } from "../foundation.ts";
import type { Config } from "../settings/config.ts";
import { effectiveSecrets } from "../settings/secrets/effective-secrets.ts";

export interface AssembledApprovals {
  /** Undefined without keys to seal paused runs. */
  desk: PausedRuns | undefined;
  /** Outcomes of the daemon's own waiting runs. */
  awaited: AwaitedAnswers;
  workers: readonly Worker[];
  /** Resolves when resumed runs have ended, including those whose caller has left. */
  ended(): Promise<void>;
}

/** Sets up approvals for the daemon's runs, on its storage. */
export async function assembleApprovals(
  { sealer, clock, newId, log }: Pick<Foundation, "sealer" | "clock" | "newId" | "log">,
  storage: Storage<DaemonTables>,
): Promise<AssembledApprovals> {
  if (sealer === undefined)
    return { desk: undefined, awaited: nothingAwaited, workers: [], ended: async () => {} };
  const desk = openPausedRuns({ storage, sealer, clock, newId });
  await recoverApprovals(desk, log);
  return {
    desk,
    awaited: awaitedRuns(desk, operatorTenant),
    workers: [approvalKeeper(desk, log)],
    async ended() {
      await Promise.all(desk.resuming.values());
    },
  };
}

/** Returns true if this configuration has keys for sealing, or creates them at the start. */
export function hasSealingKeys(config: Config): boolean {
  if (config.secrets.generate && config.databaseUrl === undefined) return true;
  return effectiveSecrets(config).some(({ name, source }) => name === "sealing_keys" && source !== "none");
}

/** Reason why tools can't require approval without keys. */
export const approvalsRefused =
  "needs keys to seal waiting runs with: set ARGOSY_SEALING_KEYS, or make keys with `argosy secrets init`";
