import { type Clock, sleep } from "../../../../kit/clock.ts";
import type { Logger } from "../../../../kit/log.ts";
import type { Worker } from "../../../../kit/worker.ts";
import { sweepLeftovers } from "../../../../retrieval/rag/upkeep/sweep-leftovers.ts";
import type { DaemonRag } from "../daemon-rag.ts";
import { holdMs } from "./sql-collection-registry.ts";

/** Leftovers are swept at every third renewal of the leases. */
const sweepEvery = 3;

/** Removes data that dead processes and failed removals left behind, at the start and then every minute. */
export function ragSweeper(rag: DaemonRag, clock: Clock, log: Logger): Worker {
  return {
    name: "rag-sweeper",
    async run(signal) {
      for (let turn = 0; !signal.aborted; turn++) {
        try {
          await rag.ports.registry.keepAlive();
          await rag.jobs.keepAlive();
          if (turn % sweepEvery === 0) {
            await rag.jobs.tidy();
            await sweepLeftovers(rag.ports, rag.storeById, signal);
          }
        } catch (thrown) {
          if (signal.aborted) return;
          log.warn("rag.sweep_failed", { err: thrown });
        }
        await sleep(clock, holdMs / 3, signal).catch(() => undefined);
      }
    },
  };
}
