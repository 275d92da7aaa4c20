import type { Clock } from "../../kit/clock.ts";
import { sleep } from "../../kit/clock.ts";
import { OwnerPlaces } from "../../kit/concurrency/owner-places.ts";
import type { Worker } from "../../kit/worker.ts";
import { beginWork, endWork, interruptedRepeatedly, interruptionsMax } from "../../storage/begun-work.ts";
import { storageRetryMs, untilStored } from "../../storage/until-stored.ts";
import type { HostedEvalDeps } from "./deps.ts";
import type { AskedRuns } from "./perform-eval-run.ts";
import { claimEvalRun, dueEvalRuns, endEvalRun, workOf } from "./run-store.ts";
import type { EvalRunRow } from "./tables.ts";

/** Runs of evals that one process performs at the same time, each of another tenant or org. The persons behind them take turns. */
const atOnceMax = 4;
/** How often other processes' orders and the runs of dead processes are looked for. */
const everyMs = 5_000;
const silenceMaxMs = 60_000;

/** A run that this process performs. */
interface Claimed {
  run: EvalRunRow;
  /** Gives its place back. */
  leave: () => void;
  /** It was interrupted before, so no other such run is performed beside it. */
  isSuspect: boolean;
}

/** The runs of evals that this process performs. */
export class EvalWork {
  readonly #running = new Map<string, { run: EvalRunRow; cancel: AbortController; isSuspect: boolean }>();
  readonly #places = new OwnerPlaces(atOnceMax);
  readonly #underWay = new Set<Promise<void>>();
  #wake = new AbortController();

  /** Makes the worker look for runs now. */
  wake(): void {
    this.#wake.abort();
  }

  /** Stops the cases under way of a run that has ended. */
  cancel(id: string): void {
    this.#running.get(id)?.cancel.abort();
  }

  /** Worker that performs runs until it is stopped. Those under way are then left to the next process. */
  worker(name: string, deps: HostedEvalDeps, open: (run: EvalRunRow) => AskedRuns): Worker {
    return {
      name,
      silenceMaxMs,
      run: async (signal, beat) => {
        while (!signal.aborted) {
          this.#wake = new AbortController();
          for (;;) {
            const claimed = await this.#claim(deps);
            if (claimed === undefined) break;
            const { run, leave, isSuspect } = claimed;
            const work = this.#perform(deps, () => open(run), { run, isSuspect }, signal).finally(() => {
              this.#underWay.delete(work);
              leave();
              this.wake();
            });
            this.#underWay.add(work);
          }
          beat?.();
          await pause(deps.clock, AbortSignal.any([signal, this.#wake.signal]));
        }
        await Promise.all(this.#underWay);
      },
    };
  }

  /** Takes the run whose turn it is, with a place for it. Parks those during which three processes died. */
  async #claim(deps: HostedEvalDeps): Promise<Claimed | undefined> {
    if (this.#places.free === 0) return undefined;
    await deps.life.ensure();
    const here = [...this.#running.values()];
    let due = await dueEvalRuns(
      deps,
      here.map(({ run }) => run),
      here.some(({ isSuspect }) => isSuspect),
    );
    const owners = await deps.ownersOf(due.map(({ ownerId }) => ownerId));
    const ownerOf = ({ ownerId }: Pick<EvalRunRow, "ownerId">) => owners.get(ownerId) ?? ownerId;
    for (;;) {
      const next = this.#places.next(due, ownerOf);
      if (next === undefined) return undefined;
      const run = await claimEvalRun(deps, next);
      const begun = run && (await beginWork(deps.storage, workOf(run), deps.process));
      if (run !== undefined && begun !== "parked") {
        return { run, leave: this.#places.take(ownerOf(run)), isSuspect: begun === "suspect" };
      }
      if (run !== undefined) await parkRun(deps, run);
      // Parked, or another process was first.
      due = due.filter((one) => one !== next);
    }
  }

  async #perform(
    deps: HostedEvalDeps,
    open: () => AskedRuns,
    { run, isSuspect }: { run: EvalRunRow; isSuspect: boolean },
    stopped: AbortSignal,
  ): Promise<void> {
    const cancel = new AbortController();
    this.#running.set(run.id, { run, cancel, isSuspect });
    try {
      const { performEvalRun } = await import("./perform-eval-run.ts");
      await performEvalRun(deps, open(), run, { stopped, cancelled: cancel.signal });
    } catch (thrown) {
      // The database is away: the run is still open, and a later round takes it again.
      deps.log.error("eval_run.failed", { run: run.id, err: thrown });
      await sleep(deps.clock, storageRetryMs, stopped).catch(() => undefined);
    } finally {
      const { kind, key } = workOf(run);
      const end = () => endWork(deps.storage, kind, [key], { stopped: stopped.aborted });
      await untilStored(deps.clock, stopped, end).catch((err) =>
        deps.log.error("eval_run.not_ended", { run: run.id, err }),
      );
      this.#running.delete(run.id);
    }
  }
}

/** Ends a run during which three processes died. */
async function parkRun({ storage, clock, log }: HostedEvalDeps, run: EvalRunRow): Promise<void> {
  const message = `The run was stopped, because Argosy ended ${interruptionsMax} times while it performed it.`;
  log.error("eval_run.parked", { run: run.id, owner: run.ownerId });
  const error = { code: interruptedRepeatedly, message };
  await endEvalRun(storage, run, { status: "failed", error }, clock.now());
}

const pause = (clock: Clock, until: AbortSignal) => sleep(clock, everyMs, until).catch(() => undefined);
