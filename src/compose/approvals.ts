import type { Worker } from "../kit/worker.ts";
import { type ApprovalDesk, openApprovalDesk } from "../services/daemon/approvals/approval-desk.ts";
import { approvalKeeper, recoverApprovals } from "../services/daemon/approvals/approval-keeper.ts";
import { awaitedRuns } from "../services/daemon/approvals/awaited-runs.ts";
import { type AwaitedAnswers, nothingAwaited } from "../services/daemon/channels/awaited-answers.ts";
import { operatorTenant } from "../services/daemon/deps.ts";
import type { DaemonTables } from "../services/daemon/tables.ts";
import type { Storage } from "../storage/storage.ts";
import type { Config } from "./config.ts";
import type { Foundation } from "./foundation.ts";
import { effectiveSecrets } from "./secrets.ts";

export interface AssembledApprovals {
  /** Undefined without keys to seal paused runs with. */
  desk: ApprovalDesk | undefined;
  /** What becomes of the daemon's own runs that wait. */
  awaited: AwaitedAnswers;
  workers: readonly Worker[];
  /** Resolves when the runs have ended that go on although whoever decided on them has left. */
  ended(): Promise<void>;
}

/** Where the daemon's runs wait for a person, over its storage. */
export async function assembleApprovals(
  { sealer, clock, newId, log }: Foundation,
  storage: Storage<DaemonTables>,
): Promise<AssembledApprovals> {
  if (sealer === undefined)
    return { desk: undefined, awaited: nothingAwaited, workers: [], ended: async () => {} };
  const desk = openApprovalDesk({ storage, sealer, clock, newId });
  await recoverApprovals(desk, log);
  return {
    desk,
    awaited: awaitedRuns(desk, operatorTenant),
    workers: [approvalKeeper(desk, log)],
    async ended() {
      await Promise.all(desk.goingOn.values());
    },
  };
}

/** Whether an installation of this configuration has keys to seal with, or makes them when it starts. */
export function hasSealingKeys(config: Config): boolean {
  if (config.secrets.generate && config.databaseUrl === undefined) return true;
  return effectiveSecrets(config).some(({ name, source }) => name === "sealing_keys" && source !== "none");
}

/** Why tools can't ask for approval without keys. */
export const approvalsRefused =
  "needs keys to seal waiting runs with: set ARGOSY_SEALING_KEYS, or make keys with `argosy secrets init`";
