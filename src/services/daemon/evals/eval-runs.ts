import type {
  EvalPlan,
  EvalProgress,
  EvalRunBrief,
  EvalRunOrder,
} from "../../../contracts/daemon/evals/eval-runs.ts";
import type { CaseResult, EvalRunEnd, EvalRunHead } from "../../../contracts/evals/eval-run.ts";
import { type FileRun, type FileRuns, runOpen } from "../../../evals/files/file-runs.ts";
import type { EvalRunOptions } from "../../../evals/files/run-eval.ts";
import { summarize } from "../../../evals/report/summarize.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { EvalFile } from "./eval-files.ts";
import { presentRun } from "./present-run.ts";

/** Performs runs of evals with the agents of this daemon. */
export interface EvalPerformer {
  /** Refuses, before anything runs, what a run would refuse. */
  plan(file: EvalFile, order: EvalRunOrder, sender: Sender): Promise<EvalPlan>;
  /** Runs an eval, or goes on with the run `resume`, with the agents as they are now. */
  perform(file: EvalPath, order: EvalRunOrder, options: PerformOptions): Promise<void>;
}

/** File of an eval; `file` is its path as a run shows it. */
export type EvalPath = Pick<EvalFile, "path" | "file">;

export interface PerformOptions
  extends Pick<EvalRunOptions, "signal" | "onPlanned" | "onStart" | "onResult"> {
  sender: Sender;
  resume: string | undefined;
}

export interface EvalRunPorts {
  store: FileRuns;
  performer: EvalPerformer;
  clock: Clock;
  log: Logger;
}

/** A run of this process that has not ended. */
interface OpenRun {
  head: EvalRunHead;
  finished: number;
  failed: number;
  /** Passed and finished results of the first target. */
  first: { passed: number; of: number };
  spentUsd: number;
  unpriced: number;
  controller: AbortController;
  ended: Promise<void>;
  watchers: Set<() => void>;
}

/** Maximum number of runs at the same time. */
const openMax = 4;

/** Results of closed runs that are kept in memory, so that pages of a long run need not read it again. */
const readMax = 2;

/** Runs of evals that go on after their request was answered. A run whose process ends is `interrupted` and can be resumed. */
export class EvalRuns {
  readonly #ports: EvalRunPorts;
  readonly #open = new Map<string, OpenRun>();
  readonly #read = new LatestMap<string, { stamp: string; run: RunResults }>(readMax);
  #starting = 0;

  constructor(ports: EvalRunPorts) {
    this.#ports = ports;
  }

  /** Starts a run and returns it at once. Throws `too_busy` if too many runs are open. */
  async start(file: EvalPath, order: EvalRunOrder, sender: Sender, resume?: string): Promise<EvalRunBrief> {
    if (this.#open.size + this.#starting >= openMax) throw tooBusy();
    const { performer, log } = this.#ports;
    const controller = new AbortController();
    const begun = Promise.withResolvers<OpenRun>();
    const over = Promise.withResolvers<void>();
    let own: OpenRun | undefined;
    this.#starting++;
    let isStarting = true;
    const started = () => {
      if (isStarting) this.#starting--;
      isStarting = false;
    };
    const work = performer.perform(file, order, {
      sender,
      resume,
      signal: controller.signal,
      onPlanned: (head, earlier) => {
        // Known before it is stored, so that no list takes it for the run of a dead process.
        if (this.#open.has(head.id)) throw runOpen(head.id);
        own = openRun(head, earlier, { controller, ended: over.promise });
        this.#open.set(head.id, own);
        started();
      },
      onStart: () => {
        if (own !== undefined) begun.resolve(own);
      },
      onResult: (result) => {
        if (own !== undefined) count(own, result);
      },
    });
    work
      .catch((thrown: unknown) => {
        begun.reject(thrown);
        const error = toAppError(thrown);
        if (error.kind === "internal") log.error("eval.run_failed", { eval: file.file, err: thrown });
      })
      .finally(() => {
        started();
        if (own !== undefined) this.#close(own);
        over.resolve();
      });
    return liveRun(await begun.promise);
  }

  /** Returns the state of a run. Throws AppError `eval_run_not_found`. */
  async find(id: string): Promise<FoundRun> {
    return this.#stateOf(await this.#ports.store.get(id));
  }

  /** Returns runs, newest first, of one eval or of all; `before` is the id that the first one follows. */
  async list(of: { eval?: string; before?: string; limit: number }): Promise<EvalRunBrief[]> {
    const rows = await this.#ports.store.newest(of);
    return Promise.all(rows.map(async (row) => (await this.#stateOf(row)).run));
  }

  /** Returns a run with the results that it has so far, in the order of its plan. */
  async results(id: string): Promise<RunResults> {
    const { store } = this.#ports;
    const { subject: head, finished, endedAt } = await store.get(id);
    const stamp = `${finished} ${endedAt?.getTime()}`;
    const known = this.#read.get(id);
    if (known !== undefined && known.stamp === stamp) return known.run;
    const run = { head, results: await store.results(id) };
    this.#read.set(id, { stamp, run });
    return run;
  }

  /** Stops a run: cases under way are left, finished ones are kept. Throws `eval_run_ended` if it is not running here. */
  async cancel(id: string): Promise<EvalRunBrief> {
    const open = this.#open.get(id);
    if (open === undefined) {
      const { run, elsewhere } = await this.find(id);
      throw notRunning(run, elsewhere);
    }
    open.controller.abort(new AppError("conflict", "eval_run_cancelled", "The run was cancelled."));
    await open.ended;
    return (await this.find(id)).run;
  }

  /** Yields the state of a run now and after each change, at most one for each turn of the reader, and `done` at its end. */
  async *follow(id: string, signal: AbortSignal): AsyncGenerator<EvalProgress, void> {
    const { run: first } = await this.find(id);
    const open = this.#open.get(id);
    if (open !== undefined) {
      let changed = Promise.withResolvers<void>();
      const wake = () => changed.resolve();
      open.watchers.add(wake);
      signal.addEventListener("abort", wake);
      try {
        yield { type: "progress", run: first };
        while (!signal.aborted && this.#open.get(id) === open) {
          await changed.promise;
          changed = Promise.withResolvers<void>();
          if (signal.aborted) return;
          if (this.#open.get(id) === open) yield { type: "progress", run: liveRun(open) };
        }
      } finally {
        open.watchers.delete(wake);
        signal.removeEventListener("abort", wake);
      }
    }
    yield { type: "done", run: (await this.find(id)).run };
  }

  /** Ends open runs as interrupted. */
  async close(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { controller } of open)
      controller.abort(new AppError("unavailable", "eval_run_interrupted", "Argosy is stopping."));
    await Promise.all(open.map(({ ended }) => ended));
  }

  #close(run: OpenRun): void {
    this.#open.delete(run.head.id);
    for (const wake of run.watchers) wake();
  }

  /** State of a stored run. One whose process died is stored as interrupted. */
  async #stateOf(row: FileRun): Promise<FoundRun> {
    const open = this.#open.get(row.id);
    if (open !== undefined) return { run: liveRun(open), end: undefined, elsewhere: false };
    const { store, clock, log } = this.#ports;
    const end = endOf(row);
    if (end !== undefined) return { run: endedRun(row.subject, end), end, elsewhere: false };
    const results = (await store.results(row.id)).map(({ result }) => result);
    // It may have ended or begun meanwhile.
    if (await store.isLeft(row, this.#open.has(row.id))) {
      const summary = summarize(row.subject, results, "interrupted");
      const { simulated } = row;
      const left = {
        status: "interrupted",
        ended_at: clock.now().toISOString(),
        summary,
        simulated,
      } as const;
      await store
        .end(row.id, left, row.process ?? "")
        .catch((thrown: unknown) => log.warn("eval.run_unwritten", { run: row.id, err: thrown }));
      return { run: endedRun(row.subject, left), end: left, elsewhere: false };
    }
    const run = liveRun(openRun(row.subject, results, noControl));
    return { run, end: undefined, elsewhere: !this.#open.has(row.id) };
  }
}

/** A run's state; `elsewhere`: another process performs it. */
export interface FoundRun {
  run: EvalRunBrief;
  end: EvalRunEnd | undefined;
  elsewhere: boolean;
}

/** A run with its results so far. */
export interface RunResults {
  head: EvalRunHead;
  results: { number: number; result: CaseResult }[];
}

/** Of a run that another process performs. */
const noControl = { controller: new AbortController(), ended: Promise.resolve() };

function openRun(
  head: EvalRunHead,
  results: readonly CaseResult[],
  control: Pick<OpenRun, "controller" | "ended">,
): OpenRun {
  const run: OpenRun = {
    head,
    finished: 0,
    failed: 0,
    first: { passed: 0, of: 0 },
    spentUsd: 0,
    unpriced: 0,
    ...control,
    watchers: new Set(),
  };
  for (const result of results) count(run, result);
  return run;
}

const liveRun = ({ head, finished, failed, first, spentUsd, unpriced }: OpenRun): EvalRunBrief =>
  presentRun(head, {
    status: "running",
    finished,
    failed,
    passRate: first.of === 0 ? null : first.passed / first.of,
    spentUsd,
    unpriced,
  });

function endedRun(
  head: EvalRunHead,
  { status, ended_at: endedAt, summary, error }: EvalRunEnd,
): EvalRunBrief {
  return presentRun(head, {
    status,
    finished: summary.finished_runs,
    failed: summary.failed_runs,
    passRate: summary.finished_runs === 0 ? null : (summary.targets[0]?.pass_rate ?? null),
    spentUsd: summary.spent_usd,
    unpriced: summary.targets.reduce((sum, one) => sum + one.unpriced_runs, 0),
    endedAt,
    ...(error && { error }),
  });
}

function endOf({ status, endedAt, summary, simulated, errorCode, message }: FileRun): EvalRunEnd | undefined {
  if (endedAt === null || summary === null || status === "queued" || status === "running") return undefined;
  const error = errorCode === null ? {} : { error: { error: errorCode, message: message ?? "" } };
  return { status, ended_at: endedAt.toISOString(), summary, simulated, ...error };
}

function count(run: OpenRun, { passed, target, cost_usd: cost }: CaseResult): void {
  run.finished++;
  if (!passed) run.failed++;
  if (target === run.head.targets[0]) {
    run.first.of++;
    if (passed) run.first.passed++;
  }
  run.spentUsd += cost ?? 0;
  if (cost === null) run.unpriced++;
  for (const wake of run.watchers) wake();
}

function notRunning({ id, status }: EvalRunBrief, elsewhere: boolean): AppError {
  if (!elsewhere) return new AppError("conflict", "eval_run_ended", `The run ${id} has ended: ${status}.`);
  return runOpen(id);
}

function tooBusy(): AppError {
  return new AppError(
    "unavailable",
    "too_busy",
    `${openMax} evals are running. Try again when one has ended.`,
    {
      details: { retryAfterSeconds: 10 },
    },
  );
}
