import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { AppError } from "../../../kit/app-error.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import { beginWork, endWork, interruptedRepeatedly, interruptionsMax } from "../../../storage/begun-work.ts";
import { dropDeadOwners, ownerTtlMs } from "../../../storage/owner-life.ts";
import { claimCallerRun, leftCallerRuns, lostCallerRuns, pruneCallerRuns } from "./caller-run-store.ts";
import type { CallerRuns, KeptRun } from "./caller-runs.ts";
import type { CallerRunRow } from "./schema.ts";

const hourMs = 60 * 60 * 1000;
/** Time for which the answer of a key is replayed. */
export const answersKeptMs = 24 * hourMs;
/** A run that nobody continued for so long is ended: its caller expects nothing of it any more. */
const continuableMs = hourMs;
/** Runs that one process continues at a time. */
const continuedMax = 16;

export interface Continuing {
  /** Names of the agents that this process can run. */
  agents: () => readonly string[];
  /** Performs a run from its stored data. */
  perform: (request: object, kept: KeptRun) => AsyncGenerator<RunEvent, void>;
}

/** The worker that says that this process is alive, continues the runs of dead ones, and deletes old answers. */
export function callerRunKeeper(runs: CallerRuns, continuing: Continuing): Worker {
  const { clock, storage } = runs.ports;
  const continuation = new RunContinuation(runs, continuing);
  let prunedMs = Number.NEGATIVE_INFINITY;
  return repeatedWorker("caller-runs", ownerTtlMs / 3, clock, async () => {
    await continuation.round();
    if (clock.monotonicMs() - prunedMs < hourMs) return;
    await pruneCallerRuns(storage, new Date(clock.now().getTime() - answersKeptMs));
    // As long as runs may name them.
    await dropDeadOwners(storage, answersKeptMs);
    prunedMs = clock.monotonicMs();
  });
}

/** Continues the runs whose processes are dead. */
export class RunContinuation {
  readonly #runs: CallerRuns;
  readonly #continuing: Continuing;
  /** Runs that this process continues; true for one that was interrupted more than once. */
  readonly #continued = new Map<string, boolean>();

  constructor(runs: CallerRuns, continuing: Continuing) {
    this.#runs = runs;
    this.#continuing = continuing;
  }

  /** Begins to continue runs, as many as there are places. Does not wait for their ends. */
  async round(): Promise<void> {
    const { storage, life, clock, stopping, log, isDurable } = this.#runs.ports;
    await life.renew();
    const since = isDurable ? new Date(clock.now().getTime() - continuableMs) : clock.now();
    for (const row of await lostCallerRuns(storage, life, since)) {
      if (await claimCallerRun(storage, row, life.owner)) await this.#runs.end(row, interrupted());
    }
    if (!isDurable) return;
    const agents = this.#continuing.agents();
    for (const row of await leftCallerRuns(storage, life, { agents, since, limit: 100 })) {
      if (stopping.aborted || this.#continued.size >= continuedMax) return;
      if (this.#runs.has(row.id)) continue;
      // Those that were interrupted repeatedly are continued one by one, so that the others outlive this process.
      if (row.isSuspect && [...this.#continued.values()].includes(true)) continue;
      this.#continued.set(row.id, row.isSuspect);
      void this.#continue(row)
        .catch((err) => log.error("run.not_continued", { run_id: row.id, err }))
        .finally(() => this.#continued.delete(row.id));
    }
  }

  async #continue(row: CallerRunRow): Promise<void> {
    const { storage, life, log, stopping } = this.#runs.ports;
    if (!(await claimCallerRun(storage, row, life.owner))) return;
    const key = { kind: "run", key: row.id } as const;
    try {
      // The death that made the run due counts as well.
      if (row.owner !== null) await beginWork(storage, key, row.owner);
      const begun = await beginWork(storage, key, life.owner);
      const request = begun === "parked" ? interruptedTooOften() : this.#requestOf(row);
      if (request instanceof AppError) {
        await this.#runs.end(row, request);
        return;
      }
      log.info("run.continued", { run_id: row.id, agent: row.agent });
      await this.#runs.continue(row, (kept) => this.#continuing.perform(request, kept));
    } finally {
      await endWork(storage, key.kind, [key.key], { stopped: stopping.aborted });
    }
  }

  /** The run as data, or the error that ends a run without: its caller would wait for ever. */
  #requestOf(row: CallerRunRow): object {
    try {
      return this.#runs.requestOf(row) ?? interrupted();
    } catch (err) {
      this.#runs.ports.log.error("run.not_continued", { run_id: row.id, err });
      return interrupted();
    }
  }
}

const interrupted = () =>
  new AppError("unavailable", "run_interrupted", "The process that performed the run ended.", {
    details: {
      hint: "Send the request again with another Idempotency-Key. Tools may have had their effects.",
    },
  });

const interruptedTooOften = () =>
  new AppError(
    "unavailable",
    interruptedRepeatedly,
    `The run was interrupted ${interruptionsMax} times and does not continue.`,
  );
