import { type Clock, sleep } from "../../../../kit/clock.ts";
import type { Logger } from "../../../../kit/log.ts";
import { roundMaxMs, type Worker } from "../../../../kit/worker.ts";
import { type ForEach, sweepLeftovers } from "../../../../retrieval/rag/upkeep/sweep-leftovers.ts";
import { type AloneDeps, ifAlone } from "../../../../storage/alone.ts";
import { sweepCounted } from "../../../../storage/counted-work.ts";
import { isStorageAway } from "../../../../storage/until-stored.ts";
import type { DaemonRag } from "../daemon-rag.ts";
import { holdMs } from "./sql-collection-registry.ts";

/** Leftovers are swept at every third renewal of the leases. */
const sweepEvery = 3;

interface SweeperDeps extends AloneDeps {
  clock: Clock;
  log: Logger;
}

/** Removes data that dead processes and failed removals left behind, at the start and then every minute. */
export function ragSweeper(rag: DaemonRag, deps: SweeperDeps): Worker {
  const { clock, log } = deps;
  return {
    name: "rag-sweeper",
    silenceMaxMs: holdMs + roundMaxMs,
    async run(signal, beat) {
      for (let turn = 0; !signal.aborted; turn++) {
        try {
          await rag.ports.registry.keepAlive();
          await rag.jobs.keepAlive();
          if (turn % sweepEvery === 0) {
            await rag.jobs.tidy();
            await ifAlone("rag-sweeper", deps, (held) => sweepRag(rag, deps, held), signal);
          }
          beat?.();
        } catch (thrown) {
          if (signal.aborted) return;
          if (isStorageAway(thrown)) throw thrown;
          log.warn("rag.sweep_failed", { err: thrown });
        }
        await sleep(clock, holdMs / 3, signal).catch(() => undefined);
      }
    },
  };
}

/** Sweeps once. Leftovers with which three processes died wait until a person retries them. */
export function sweepRag(
  { ports, storeById }: Pick<DaemonRag, "storeById"> & { ports: Parameters<typeof sweepLeftovers>[0] },
  { storage, owner, log }: Omit<SweeperDeps, "clock">,
  signal: AbortSignal,
): Promise<void> {
  const counted = { kind: "document_cleanup", owner, log, signal } as const;
  const forEach: ForEach = (rows, keyOf, work) => sweepCounted(storage, rows, { ...counted, keyOf, work });
  return sweepLeftovers(ports, storeById, forEach, signal);
}
