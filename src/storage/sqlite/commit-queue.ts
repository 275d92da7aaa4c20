import type { Database } from "bun:sqlite";
import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../../kit/app-error.ts";
import { type Clock, systemClock } from "../../kit/clock.ts";
import { isInBackground } from "../../kit/concurrency/background-work.ts";
import { endOfTurn, stepsCounted, stepsPerPiece } from "../../kit/concurrency/others-turn.ts";
import type { FaultSwitch } from "../../kit/outages/fault-switch.ts";
import { databaseError, fullDisk, unconfirmed } from "../database-error.ts";
import { CommitPace } from "./commit-pace.ts";

/** More jobs in one commit would add latency without throughput. */
const batchMax = 64;

interface Job {
  /** Does the work in its caller's context. */
  work: () => Promise<unknown>;
  isInBackground: boolean;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** A job of the batch with its result, which its caller gets after the commit. */
interface Done {
  job: Job;
  result?: unknown;
  /** The reason why the job alone was rolled back. */
  fault?: unknown;
}

/**
 * The only writer of a SQLite file. Jobs run one after another. Waiting jobs share one commit and so one fsync, and a caller learns of
 * success only when the commit is on disk. While the disk confirms a commit, other work goes on and further jobs gather. Nearly always all
 * of a commit's jobs succeed, so they run without savepoints first. If one fails, all run again, each inside its own savepoint. While jobs
 * are many, background work begins none of its own for up to 10 ms, so that it shares those of requests.
 */
export class CommitQueue {
  readonly #database: Database;
  /** Resolves when the commits before the call are on disk. */
  readonly #sync: () => Promise<void>;
  readonly #faults: Pick<FaultSwitch, "fullDisk"> | undefined;
  /** Called after each commit; returns what the next one must wait for. */
  readonly #committed: () => Promise<void> | undefined;
  readonly #clock: Pick<Clock, "timer">;
  readonly #pace: CommitPace;
  readonly #waiting: Job[] = [];
  /** Ends the wait of background work. */
  #begin: (() => void) | undefined;
  #draining: Promise<void> | undefined;
  /** Changes of this connection up to the last commit. */
  #changes: number | undefined;
  /**
   * The error of a disk that did not confirm a commit. The system may have dropped the data, and would then confirm the next attempt without
   * them (https://wiki.postgresql.org/wiki/Fsync_Errors), so nothing more is written until the process starts again.
   */
  #unconfirmed: AppError | undefined;

  constructor(
    database: Database,
    sync: () => Promise<void>,
    {
      faults,
      committed = () => undefined,
      clock = systemClock,
    }: {
      faults?: Pick<FaultSwitch, "fullDisk"> | undefined;
      committed?: () => Promise<void> | undefined;
      /** Real time unless given: the disk does not follow the clock of a test. */
      clock?: Pick<Clock, "monotonicMs" | "timer">;
    } = {},
  ) {
    this.#database = database;
    this.#sync = sync;
    this.#faults = faults;
    this.#committed = committed;
    this.#clock = clock;
    this.#pace = new CommitPace(clock);
  }

  add<Result>(work: () => Promise<Result>): Promise<Result> {
    const inCallersContext = AsyncLocalStorage.snapshot();
    return new Promise((resolve, reject) => {
      const job = { work: () => inCallersContext(work), isInBackground: isInBackground(), resolve, reject };
      this.#pace.came();
      this.#waiting.push(job);
      if (!this.#mayWait()) this.#begin?.();
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when no job waits. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#mayWait()) await this.#waitForOthers();
      // Requests of this turn of the event loop, and callers answered just now, join the next commit.
      await endOfTurn();
      await this.#commitTogether();
      await this.#committed();
    }
    this.#draining = undefined;
  }

  /** True if the jobs that wait are those of background work, and fit into one commit. */
  #mayWait(): boolean {
    return this.#waiting.length < batchMax && this.#waiting.every((job) => job.isInBackground);
  }

  async #waitForOthers(): Promise<void> {
    const ms = this.#pace.waitMs();
    if (ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begin = resolve;
    const cancel = this.#clock.timer(ms, resolve);
    await promise;
    cancel();
    this.#begin = undefined;
  }

  async #commitTogether(): Promise<void> {
    const batch: Job[] = [];
    const answers: Done[] = [];
    this.#pace.begun();
    try {
      if (this.#unconfirmed !== undefined) throw writesStopped(this.#unconfirmed);
      // Of a batch that could not be rolled back before.
      if (this.#database.inTransaction) this.#run("ROLLBACK");
      this.#run("BEGIN IMMEDIATE");
      try {
        await this.#performNext(batch, answers, perform);
      } catch {
        answers.length = 0;
        if (this.#database.inTransaction) this.#run("ROLLBACK");
        this.#run("BEGIN IMMEDIATE");
        for (const job of batch) answers.push(await this.#performAlone(job));
        await this.#performNext(batch, answers, (job) => this.#performAlone(job));
      }
      if (this.#faults?.fullDisk === true) throw fullDisk();
      this.#run("COMMIT");
    } catch (thrown) {
      // Mostly a full disk: nothing of the batch is stored, and the next batch tries again.
      this.#rollBack();
      // If no transaction could begin, none of the waiting jobs could be done.
      if (batch.length === 0) batch.push(...this.#waiting.splice(0, batchMax));
      const error = databaseError(thrown);
      for (const job of batch) job.reject(error);
      return;
    }
    try {
      if (this.#mayHaveChanged()) await this.#sync();
    } catch (thrown) {
      this.#unconfirmed = unconfirmed(databaseError(thrown));
      for (const { job, fault } of answers) job.reject(fault ?? this.#unconfirmed);
      return;
    }
    for (const { job, result, fault } of answers) {
      if (fault === undefined) job.resolve(result as never);
      else job.reject(fault);
    }
  }

  /** Moves waiting jobs into `batch` and performs them, until there are enough or they have taken a piece of the main thread. */
  async #performNext(batch: Job[], answers: Done[], perform: (job: Job) => Promise<Done>): Promise<void> {
    const begun = stepsCounted();
    while (batch.length < batchMax && stepsCounted() - begun < stepsPerPiece) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      batch.push(job);
      answers.push(await perform(job));
    }
  }

  async #performAlone(job: Job): Promise<Done> {
    this.#run("SAVEPOINT job");
    try {
      const done = await perform(job);
      this.#run("RELEASE job");
      return done;
    } catch (thrown) {
      // After some faults SQLite itself rolls everything back; then the others of the batch are lost as well.
      if (!this.#database.inTransaction) throw thrown;
      this.#run("ROLLBACK TO job");
      this.#run("RELEASE job");
      return { job, fault: thrown ?? new Error("A job was rejected without a reason.") };
    }
  }

  /** Returns false if no rows changed since the last call. A claim that finds nothing has nothing to bring to disk. */
  #mayHaveChanged(): boolean {
    const before = this.#changes;
    try {
      this.#changes = this.#database
        .query<{ changes: number }, []>("SELECT total_changes() AS changes")
        .get()?.changes;
    } catch {
      this.#changes = undefined;
    }
    return this.#changes === undefined || this.#changes !== before;
  }

  /** Never throws: what can't be rolled back now is, before the next batch begins. */
  #rollBack(): void {
    try {
      if (this.#database.inTransaction) this.#run("ROLLBACK");
    } catch {
      // The reason of the first failure counts.
    }
  }

  #run(command: string): void {
    this.#database.query(command).run();
  }
}

const writesStopped = (cause: AppError) =>
  new AppError(
    "unavailable",
    "storage_unavailable",
    "The disk did not confirm an earlier change, so nothing more is written; check the disk, then start Argosy again.",
    { cause },
  );

async function perform(job: Job): Promise<Done> {
  return { job, result: await job.work() };
}
