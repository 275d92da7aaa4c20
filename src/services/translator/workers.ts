import { toAppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import type { Logger } from "../../kit/log.ts";
import { repeatedWorker, type Worker } from "../../kit/worker.ts";
import { interruptedRepeatedly } from "../../storage/begun-work.ts";
import { isStorageAway } from "../../storage/until-stored.ts";
import { readSpec, type SpecManifests } from "./mapping/read-spec.ts";
import { openReconciles } from "./reconcile/applied-store.ts";
import { reconcile } from "./reconcile/reconcile.ts";
import { type RemovePorts, removeSpec } from "./reconcile/remove-spec.ts";
import { getSpec } from "./specs/store.ts";

export interface ResumePorts extends RemovePorts {
  manifests: SpecManifests;
  log: Logger;
  clock: Clock;
}

const everyMs = 15_000;
/** A cloud may take minutes for each of several reconciles. */
const hourMs = 3_600_000;

/** Background workers of the translator. */
export const translatorWorkers = (ports: ResumePorts): Worker[] => [
  repeatedWorker("interrupted-reconciles", everyMs, ports.clock, () => resumeReconciles(ports), {
    roundMs: hourMs,
  }),
];

/** Resumes the reconciles whose process ended before they did. Those that run now hold their lease and are not touched. */
export async function resumeReconciles(given: ResumePorts): Promise<void> {
  const ports = { ...given, isResumed: true };
  const { storage, accounts, manifests, log } = ports;
  for (const { account, kind, name, isRemoval } of await openReconciles(storage)) {
    const spec = { kind, name };
    try {
      if (isRemoval) await removeSpec(ports, spec, true);
      else {
        const { yaml } = await getSpec(storage, kind, name);
        await reconcile(ports, accounts.get(account), spec, await inPieces(readSpec(manifests, yaml)));
      }
      log.info("reconcile.resumed", { account, spec: `${kind}/${name}` });
    } catch (thrown) {
      if (isStorageAway(thrown)) throw thrown;
      const { code } = toAppError(thrown);
      if (code !== "reconcile_running" && code !== interruptedRepeatedly)
        log.warn("reconcile.unfinished", { account, spec: `${kind}/${name}`, code });
    }
  }
}
