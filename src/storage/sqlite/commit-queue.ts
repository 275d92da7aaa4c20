import type { Database } from "bun:sqlite";
import { AsyncLocalStorage } from "node:async_hooks";
import { endOfTurn, stepsCounted, stepsPerPiece } from "../../kit/concurrency/others-turn.ts";
import type { FaultSwitch } from "../../kit/outages/fault-switch.ts";
import { databaseError, fullDisk } from "../database-error.ts";

/** More jobs in one commit would add latency without throughput. */
const batchMax = 64;

interface Job {
  /** Does the work in its caller's context. */
  work: () => Promise<unknown>;
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
 * success only when the commit is on disk. Nearly always all of them succeed, so they run without savepoints first. If one fails, all run
 * again, each inside its own savepoint.
 */
export class CommitQueue {
  readonly #database: Database;
  readonly #waiting: Job[] = [];
  #draining: Promise<void> | undefined;

  readonly #faults: Pick<FaultSwitch, "fullDisk"> | undefined;

  constructor(database: Database, faults?: Pick<FaultSwitch, "fullDisk">) {
    this.#database = database;
    this.#faults = faults;
  }

  add<Result>(work: () => Promise<Result>): Promise<Result> {
    const inCallersContext = AsyncLocalStorage.snapshot();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work: () => inCallersContext(work), resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when no job waits. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Requests of this turn of the event loop, and callers answered just now, join the next commit.
      await endOfTurn();
      await this.#commitTogether();
    }
    this.#draining = undefined;
  }

  async #commitTogether(): Promise<void> {
    const batch: Job[] = [];
    const answers: Done[] = [];
    try {
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
      if (this.#database.inTransaction) this.#run("ROLLBACK");
      // If no transaction could begin, none of the waiting jobs could be done.
      if (batch.length === 0) batch.push(...this.#waiting.splice(0, batchMax));
      const error = databaseError(thrown);
      for (const job of batch) job.reject(error);
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

  #run(command: string): void {
    this.#database.query(command).run();
  }
}

async function perform(job: Job): Promise<Done> {
  return { job, result: await job.work() };
}
