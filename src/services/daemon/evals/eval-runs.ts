import type {
  EvalPlan,
  EvalProgress,
  EvalRunBrief,
  EvalRunOrder,
} from "../../../contracts/daemon/evals/eval-runs.ts";
import type { CaseResult, EvalRunEnd, EvalRunHead } from "../../../contracts/evals/eval-run.ts";
import { summarize } from "../../../evals/report/summarize.ts";
import type { RunStore, StoredRun } from "../../../evals/running/run-store.ts";
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
  /** Runs an eval, or goes on with the run `resume`, with the agents as they are now. Calls `onStart` once the run is stored. */
  perform(file: EvalFile, order: EvalRunOrder, options: PerformOptions): Promise<void>;
}

export interface PerformOptions {
  sender: Sender;
  resume: string | undefined;
  signal: AbortSignal;
  onStart(head: EvalRunHead, finished: number): void;
  onResult(result: CaseResult): void;
}

export interface EvalRunPorts {
  store: RunStore;
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
  readonly #read = new LatestMap<string, { size: number; run: StoredRun }>(readMax);
  #starting = 0;

  constructor(ports: EvalRunPorts) {
    this.#ports = ports;
  }

  /** Starts a run and returns it at once. Throws `too_busy` if too many runs are open. */
  async start(file: EvalFile, order: EvalRunOrder, sender: Sender, resume?: string): Promise<EvalRunBrief> {
    if (this.#open.size + this.#starting >= openMax) throw tooBusy();
    const { performer, log } = this.#ports;
    const controller = new AbortController();
    const begun = Promise.withResolvers<OpenRun>();
    const over = Promise.withResolvers<void>();
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
      onStart: (head) => {
        const run = this.#opened(head, controller, over.promise);
        this.#open.set(head.id, run);
        started();
        begun.resolve(run);
      },
      onResult: (result) => {
        void begun.promise.then((run) => count(run, result));
      },
    });
    work
      .catch((thrown: unknown) => {
        begun.reject(thrown);
        const error = toAppError(thrown);
        if (error.kind === "internal") log.error("eval.run_failed", { eval: file.name, err: thrown });
      })
      .finally(() => {
        started();
        for (const [id, { ended }] of this.#open) if (ended === over.promise) this.#close(id);
        over.resolve();
      });
    return this.#live(await begun.promise);
  }

  /** Returns the state of a run. Throws AppError `eval_run_not_found`. */
  find(id: string): { run: EvalRunBrief; end: EvalRunEnd | undefined; elsewhere: boolean } {
    const open = this.#open.get(id);
    if (open !== undefined) return { run: this.#live(open), end: undefined, elsewhere: false };
    const { head } = this.#stored(id);
    return this.#closed(head);
  }

  /** Yields runs, newest first, of one eval or of all; `before` is the id that the first one follows. */
  *list(selection: { name?: string; before?: string }): Generator<EvalRunBrief, void> {
    for (const head of this.#ports.store.newest(selection)) {
      const open = this.#open.get(head.id);
      yield open === undefined ? this.#closed(head).run : this.#live(open);
    }
  }

  /** Returns a run with the results that it has so far, in the order in which they finished. */
  results(id: string): StoredRun {
    const { store } = this.#ports;
    const size = store.sizeOf(id);
    const known = this.#read.get(id);
    if (known !== undefined && known.size === size) return known.run;
    const run = store.get(requireId(id));
    this.#read.set(id, { size, run });
    return run;
  }

  /** Stops a run: cases under way are left, finished ones are kept. Throws `eval_run_ended` if it is not running here. */
  async cancel(id: string): Promise<EvalRunBrief> {
    const open = this.#open.get(id);
    if (open === undefined) {
      const { run, elsewhere } = this.find(id);
      throw notRunning(run, elsewhere);
    }
    open.controller.abort(new AppError("conflict", "eval_run_cancelled", "The run was cancelled."));
    await open.ended;
    return this.find(id).run;
  }

  /** Goes on with a run that has not finished. */
  async resume(id: string, file: EvalFile, order: EvalRunOrder, sender: Sender): Promise<EvalRunBrief> {
    return this.start(file, order, sender, requireId(id));
  }

  /** Yields the state of a run now and after each change, at most one for each turn of the reader, and `done` at its end. */
  async *follow(id: string, signal: AbortSignal): AsyncGenerator<EvalProgress, void> {
    const first = this.find(id).run;
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
          if (this.#open.get(id) === open) yield { type: "progress", run: this.#live(open) };
        }
      } finally {
        open.watchers.delete(wake);
        signal.removeEventListener("abort", wake);
      }
    }
    yield { type: "done", run: this.find(id).run };
  }

  /** Ends open runs as interrupted. */
  async close(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { controller } of open)
      controller.abort(new AppError("unavailable", "eval_run_interrupted", "Argosy is stopping."));
    await Promise.all(open.map(({ ended }) => ended));
  }

  #opened(head: EvalRunHead, controller: AbortController, ended: Promise<void>): OpenRun {
    const run: OpenRun = {
      head,
      finished: 0,
      failed: 0,
      first: { passed: 0, of: 0 },
      spentUsd: 0,
      controller,
      ended,
      watchers: new Set(),
    };
    for (const result of this.#ports.store.results(head.id)) count(run, result);
    return run;
  }

  #close(id: string): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    for (const wake of open?.watchers ?? []) wake();
  }

  #live({ head, finished, failed, first, spentUsd }: OpenRun): EvalRunBrief {
    return presentRun(head, {
      status: "running",
      finished,
      failed,
      passRate: first.of === 0 ? null : first.passed / first.of,
      spentUsd,
    });
  }

  /** State of a run that this process does not perform. One whose process was killed is marked as interrupted. */
  #closed(head: EvalRunHead): { run: EvalRunBrief; end: EvalRunEnd | undefined; elsewhere: boolean } {
    const { store, clock, log } = this.#ports;
    let end = store.findEnd(head.id);
    const elsewhere = end === undefined && store.isWrittenElsewhere(head.id);
    if (end === undefined) {
      const results = resultsOr(() => store.results(head.id));
      const summary = summarize(head, results, "interrupted");
      const simulated = results.some((result) => result.simulated === true);
      end = { status: "interrupted", ended_at: clock.now().toISOString(), summary, simulated };
      try {
        if (!elsewhere) store.end(head.id, end);
      } catch (thrown) {
        log.warn("eval.run_unwritten", { run: head.id, err: thrown });
      }
    }
    const { summary, status, ended_at: endedAt, error } = end;
    const figures = {
      finished: summary.finished_runs,
      failed: summary.failed_runs,
      passRate: summary.finished_runs === 0 ? null : (summary.targets[0]?.pass_rate ?? null),
      spentUsd: summary.spent_usd,
    };
    const run = elsewhere
      ? presentRun(head, { status: "running", ...figures })
      : presentRun(head, { status, ...figures, endedAt, ...(error && { error }) });
    return { run, end, elsewhere };
  }

  #stored(id: string): { head: EvalRunHead } {
    const known = this.#read.get(id);
    return known?.run ?? { head: this.#ports.store.headOf(requireId(id)) };
  }
}

function count(run: OpenRun, { passed, target, cost_usd: cost }: CaseResult): void {
  run.finished++;
  if (!passed) run.failed++;
  if (target === run.head.targets[0]) {
    run.first.of++;
    if (passed) run.first.passed++;
  }
  run.spentUsd += cost ?? 0;
  for (const wake of run.watchers) wake();
}

/** A damaged file is told by the page of results; a list goes on. */
function resultsOr(read: () => CaseResult[]): CaseResult[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** `last` is a word of the command line; over HTTP each address means one run. */
function requireId(id: string): string {
  if (id !== "last") return id;
  throw new AppError("not_found", "eval_run_not_found", 'There is no eval run "last".', {
    details: { hint: "GET /v1/eval-runs lists the runs, newest first." },
  });
}

function notRunning({ id, status }: EvalRunBrief, elsewhere: boolean): AppError {
  if (!elsewhere) return new AppError("conflict", "eval_run_ended", `The run ${id} has ended: ${status}.`);
  return new AppError("conflict", "eval_run_open", `Another process is running ${id}.`, {
    details: { hint: "Stop it there, for example with Ctrl+C on the command line." },
  });
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
