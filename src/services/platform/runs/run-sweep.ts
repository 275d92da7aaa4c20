import type { PlatformDeps } from "../deps.ts";
import { keepOwnerAlive, ownerTtlMs } from "./owner-life.ts";
import { sweepInterrupted } from "./sweep-interrupted.ts";

/**
 * One round of the worker that says that this process is alive and ends the runs of dead ones, as a function to call again and again.
 *
 * A database that was away made every process of it look dead, and kept living ones from settling runs that had ended. So this
 * process writes its own ends first, and after its start and each outage it gives the others `ownerTtlMs` to say that they live and to
 * do the same. On SQLite there are no others.
 */
export function runSweep(deps: PlatformDeps): () => Promise<void> {
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
