import { and, eq, lte, or, type SQL } from "drizzle-orm";
import { hasDeadOwner, keepOwnerAlive, ownerTtlMs } from "../../../../storage/owner-life.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { PlatformTables } from "../../tables.ts";
import type { RunDeps } from "../deps.ts";
import { settleInvocation } from "../settlement/settle-invocation.ts";

/**
 * One round of the worker that says that this process is alive and ends the runs of dead ones, as a function to call again and again.
 *
 * A database that was away made every process of it look dead, and kept living ones from settling runs that had ended. So this
 * process writes its own ends first, and after its start and each outage it gives the others `ownerTtlMs` to say that they live and to
 * do the same. On SQLite there are no others.
 */
export function runSweep(deps: RunDeps): () => Promise<void> {
  const { storage, clock, owner, unsettled, metrics, log } = deps;
  let backSinceMs: number | undefined;
  let mayBeEarly = storage.dialect === "postgres";

  return async () => {
    try {
      await keepOwnerAlive(storage, owner);
    } catch (thrown) {
      mayBeEarly = storage.dialect === "postgres";
      backSinceMs = undefined;
      throw thrown;
    }
    if (!(await unsettled.flush())) return;
    if (mayBeEarly) {
      backSinceMs ??= clock.monotonicMs();
      if (clock.monotonicMs() - backSinceMs < ownerTtlMs) return;
    }
    mayBeEarly = false;
    const swept = await sweepInterrupted(storage, clock.now(), owner);
    metrics.runsSwept(swept);
    if (swept > 0) log.warn("runs.interrupted", { runs: swept });
  };
}

const batchMax = 100;

/**
 * Ends runs whose process has died as `interrupted`, without a charge, and releases their holds and places. `owner` is this process;
 * without it, only the time limit identifies such runs. Returns their number.
 */
export async function sweepInterrupted(
  storage: Storage<PlatformTables>,
  now: Date,
  owner?: string,
): Promise<number> {
  const { invocations } = storage.tables;
  let swept = 0;
  for (;;) {
    const due = await storage.read
      .select({ tenantId: invocations.tenantId, invocationId: invocations.id })
      .from(invocations)
      .where(and(eq(invocations.status, "in_progress"), isLost(storage, { owner, now })))
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
  { owner, now }: { owner: string | undefined; now: Date },
): SQL | undefined {
  const { invocations } = storage.tables;
  const isLate = lte(invocations.heldUntil, now);
  return owner === undefined ? isLate : or(isLate, hasDeadOwner(storage, owner, invocations.owner));
}
