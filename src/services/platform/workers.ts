import { type Clock, sleep } from "../../kit/clock.ts";
import type { Worker } from "../../kit/worker.ts";
import { retiredAgents } from "./agents/retired-agents.ts";
import { expireApprovals } from "./approvals/expire-approvals.ts";
import { dropExpiredTokens } from "./auth/drop-expired-tokens.ts";
import { dropOldFailures } from "./auth/sign-in-throttle.ts";
import { closingJob } from "./billing/closing-job.ts";
import type { PlatformDeps } from "./deps.ts";
import { dropRunLeftovers } from "./runs/drop-run-leftovers.ts";
import { dropDeadOwners, keepOwnerAlive, ownerTtlMs } from "./runs/owner-life.ts";
import { sweepInterrupted } from "./runs/sweep-interrupted.ts";
import { keyUseWriter } from "./tenants/key-use-writer.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Background workers of the platform, in order of starting. */
export function platformWorkers(deps: PlatformDeps): Worker[] {
  const { storage, clock, owner } = deps;
  return [
    repeated("interrupted-runs", ownerTtlMs / 3, clock, async () => {
      await keepOwnerAlive(storage, owner);
      const swept = await sweepInterrupted(storage, clock.now(), owner);
      deps.metrics.runsSwept(swept);
      if (swept > 0) deps.log.warn("runs.interrupted", { runs: swept });
    }),
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
