import { keyUseWriter } from "../../control-plane/keys/key-uses.ts";
import { dropExpiredTokens } from "../../control-plane/sessions/drop-expired-tokens.ts";
import { repeatedWorker, type Worker } from "../../kit/worker.ts";
import { foldTallies } from "../../storage/fold-tallies.ts";
import { dropDeadOwners, ownerTtlMs } from "../../storage/owner-life.ts";
import { foldParts } from "../../storage/room.ts";
import { dropExpiredLinks } from "./account/account-links.ts";
import { retiredAgents } from "./agents/retired-agents.ts";
import { dropOldFailures } from "./auth/sign-in-throttle.ts";
import { closingJob } from "./billing/closing-job.ts";
import { retiredDocuments } from "./collections/forget-documents.ts";
import type { PlatformDeps } from "./deps.ts";
import { evalRunWorker } from "./evals/ask-candidate.ts";
import { noticeWorkers } from "./notices/notice-workers.ts";
import { dropOldKeys } from "./operator-keys/once-by-key.ts";
import { noteTenantsElsewhere } from "./room/note-elsewhere.ts";
import { expireApprovals } from "./runs/decisions/expire-approvals.ts";
import { attributeOldRuns } from "./runs/settlement/attribute-runs.ts";
import { dropRunLeftovers } from "./runs/sweep/drop-run-leftovers.ts";
import { runSweep } from "./runs/sweep/run-sweep.ts";

const forgetStepsMs = 2_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Background workers of the platform, in order of starting. */
export function platformWorkers(deps: PlatformDeps): Worker[] {
  const { storage, clock } = deps;
  const sweepRuns = runSweep(deps);
  return [
    deps.unsettled.worker(),
    repeatedWorker("interrupted-runs", ownerTtlMs / 3, clock, sweepRuns),
    repeatedWorker("ended-run-steps", forgetStepsMs, clock, () => deps.durable.flush()),
    repeatedWorker("expired-approvals", minuteMs, clock, async () => {
      const expired = await expireApprovals(storage, clock.now());
      if (expired > 0) deps.log.info("approvals.expired", { runs: expired });
    }),
    repeatedWorker("run-leftovers", hourMs, clock, async () => {
      await dropRunLeftovers(storage, clock.now());
      await dropOldKeys(deps);
      await dropDeadOwners(storage, 24 * hourMs);
      await foldParts(storage);
      await foldTallies(storage);
    }),
    repeatedWorker("unattributed-runs", hourMs, clock, (signal) => attributeOldRuns(storage, signal)),
    repeatedWorker("failed-sign-ins", hourMs, clock, () => dropOldFailures(deps)),
    repeatedWorker("expired-links", hourMs, clock, () => dropExpiredLinks(deps)),
    repeatedWorker("expired-tokens", hourMs, clock, async () => void (await dropExpiredTokens(deps))),
    evalRunWorker(deps),
    keyUseWriter(deps),
    repeatedWorker("stored-bytes", minuteMs, clock, () => noteTenantsElsewhere(deps)),
    retiredAgents(deps),
    retiredDocuments(deps),
    closingJob(deps),
    ...noticeWorkers(deps),
  ];
}
