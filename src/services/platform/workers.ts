import { type Clock, sleep } from "../../kit/clock.ts";
import type { Worker } from "../../kit/worker.ts";
import { retiredAgents } from "./agents/retired-agents.ts";
import { expireApprovals } from "./approvals/expire-approvals.ts";
import { dropExpiredTokens } from "./auth/drop-expired-tokens.ts";
import { dropOldFailures } from "./auth/sign-in-throttle.ts";
import { closingJob } from "./billing/closing-job.ts";
import { retiredDocuments } from "./collections/forget-documents.ts";
import type { PlatformDeps } from "./deps.ts";
import { dropRunLeftovers } from "./runs/sweep/drop-run-leftovers.ts";
import { dropDeadOwners, ownerTtlMs } from "./runs/sweep/owner-life.ts";
import { runSweep } from "./runs/sweep/run-sweep.ts";
import { keyUseWriter } from "./tenants/key-uses.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Background workers of the platform, in order of starting. */
export function platformWorkers(deps: PlatformDeps): Worker[] {
  const { storage, clock } = deps;
  const sweepRuns = runSweep(deps);
  return [
    deps.unsettled.worker(),
    repeated("interrupted-runs", ownerTtlMs / 3, clock, sweepRuns),
    repeated("expired-approvals", minuteMs, clock, async () => {
      const expired = await expireApprovals(storage, clock.now());
      if (expired > 0) deps.log.info("approvals.expired", { runs: expired });
    }),
    repeated("run-leftovers", hourMs, clock, async () => {
      await dropRunLeftovers(storage, clock.now());
      await dropDeadOwners(storage, 24 * hourMs);
    }),
    repeated("failed-sign-ins", hourMs, clock, () => dropOldFailures(deps)),
    repeated("expired-tokens", hourMs, clock, async () => void (await dropExpiredTokens(deps))),
    keyUseWriter(deps),
    retiredAgents(deps),
    retiredDocuments(deps),
    closingJob(deps),
  ];
}

/** Runs `work` at the start and then every `everyMs`. Several processes may do so at once. */
function repeated(name: string, everyMs: number, clock: Clock, work: () => Promise<void>): Worker {
  return {
    name,
    async run(signal) {
      while (!signal.aborted) {
        await work();
        await sleep(clock, everyMs, signal).catch(() => undefined);
      }
    },
  };
}
