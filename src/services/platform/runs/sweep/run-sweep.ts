import { and, lte, not, or, type SQL, sql } from "drizzle-orm";
import type { RuntimeClient } from "../../../../contracts/runtime/client.ts";
import type { OwnerLife } from "../../../../storage/owner-life.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { Registrations } from "../../agents/registrations.ts";
import type { PlatformTables } from "../../tables.ts";
import type { TenantRunDeps } from "../deps.ts";
import { isContinuable, isLeftAlone } from "../durable/continuable.ts";
import { continueRuns } from "../durable/continue-runs.ts";
import { settleInvocation } from "../settlement/settle-invocation.ts";

type SweepDeps = TenantRunDeps & { runtime: Pick<RuntimeClient, "register"> };

/**
 * One round of the worker that says that this process is alive and ends or continues the runs of dead ones, as a function to call again and
 * again.
 *
 * A database that was away kept living processes from settling runs that had ended. So this process writes its own ends first, and
 * `OwnerLife` gives the others time to do the same.
 */
export function runSweep(deps: SweepDeps): () => Promise<void> {
  const registrations = new Registrations(deps);
  const { storage, clock, life, unsettled, metrics, log, settings } = deps;
  return async () => {
    await life.renew();
    if (!(await unsettled.flush())) return;
    const swept = await sweepInterrupted(storage, clock.now(), life, settings);
    metrics.runsSwept(swept);
    if (swept > 0) log.warn("runs.interrupted", { runs: swept });
    await continueRuns(deps, registrations);
  };
}

const batchMax = 100;

/**
 * Ends runs whose process has died as `interrupted`, without a charge, and releases their holds and places. Without `life`, this process's,
 * only the time limit identifies such runs. Durable runs are left to `continueRuns`. Returns the number of ended runs.
 */
export async function sweepInterrupted(
  storage: Storage<PlatformTables>,
  now: Date,
  life?: OwnerLife,
  { durable }: { durable: boolean } = { durable: false },
): Promise<number> {
  const { invocations } = storage.tables;
  let swept = 0;
  for (;;) {
    const due = await storage.read
      .select({ tenantId: invocations.tenantId, invocationId: invocations.id })
      .from(invocations)
      .where(
        and(
          // A literal, because the partial index can't be used with a bound value.
          sql`${invocations.status} = 'in_progress'`,
          isLost(storage, { life, now }),
          durable ? not(isContinuable(storage, now)) : undefined,
        ),
      )
      .limit(batchMax);
    const before = swept;
    for (const run of due) {
      const ending = {
        status: "interrupted" as const,
        errorCode: "interrupted",
        message: "The run was interrupted; it is not charged.",
        usage: [],
        durationMs: 0,
        isCharged: false,
      };
      if (await settleInvocation(storage, run, ending, now)) swept++;
    }
    // Runs that could not be ended are read again by the next sweep.
    if (due.length < batchMax || swept === before) return swept;
  }
}

/** Condition for a run that exceeds its time limit or whose process is dead. */
function isLost(
  storage: Storage<PlatformTables>,
  { life, now }: { life: OwnerLife | undefined; now: Date },
): SQL | undefined {
  const { invocations } = storage.tables;
  const isLate = lte(invocations.heldUntil, now);
  return life === undefined ? isLate : or(isLate, isLeftAlone(storage, life));
}
