import { sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import { holdMs } from "./go-on.ts";
import { expireApprovals, failAbandoned, holdApprovals, pruneApprovals } from "./store.ts";

const everyMs = 30_000;
/** As long as answers are kept for replay. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

/** Closes what nobody decided on in time and what a dead process left, and forgets what is long over. */
export function approvalKeeper(desk: ApprovalDesk, log: Logger): Worker {
  return {
    name: "approval-keeper",
    async run(signal) {
      while (!signal.aborted) {
        await sleep(desk.clock, everyMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        await keepApprovals(desk, log);
      }
    },
  };
}

/** One round of it. */
export async function keepApprovals({ storage, clock, owner, goingOn }: ApprovalDesk, log: Logger) {
  const now = clock.now();
  await holdApprovals(storage, owner, [...goingOn.keys()], new Date(now.getTime() + holdMs));
  const expired = await expireApprovals(storage, now);
  if (expired > 0) log.info("approvals.expired", { count: expired });
  const failed = await failAbandoned(storage, now, now);
  if (failed > 0) log.warn("approvals.abandoned", { count: failed });
  await pruneApprovals(storage, new Date(now.getTime() - keptMs));
}

/** At the start: a SQLite file has one process at a time, so whoever went on with a run in it is dead. */
export async function recoverApprovals({ storage, clock }: ApprovalDesk, log: Logger): Promise<void> {
  if (storage.dialect !== "sqlite") return;
  const failed = await failAbandoned(storage, clock.now(), undefined);
  if (failed > 0) log.warn("approvals.abandoned", { count: failed });
}
