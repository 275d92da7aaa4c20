import type { Database } from "bun:sqlite";
import { AsyncLocalStorage } from "node:async_hooks";
import { databaseError } from "../database-error.ts";

/** More jobs than this in one commit add latency and no throughput. */
const batchMax = 64;

interface Job {
  /** Does the work in its caller's context; the returned function tells the caller, after the commit. */
  perform: () => Promise<() => void>;
  reject: (error: unknown) => void;
}

/**
 * The one writer of a SQLite file. Jobs run one after another, and those that wait together share one commit and so one
 * fsync; a caller hears of success only when the commit is on disk. Nearly always all of them succeed: they run without
 * savepoints first, and when one fails all of them once more, each inside its own.
 */
export class CommitQueue {
  readonly #database: Database;
  readonly #waiting: Job[] = [];
  #draining: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  add<Result>(work: () => Promise<Result>): Promise<Result> {
    const inCallersContext = AsyncLocalStorage.snapshot();
    return new Promise((resolve, reject) => {
      const perform = async () => {
        const result = await inCallersContext(work);
        return () => resolve(result);
      };
      this.#waiting.push({ perform, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // The requests that this turn of the event loop brings, and callers answered just now, join the next commit.
      await endOfTurn();
      await this.#commitTogether(this.#waiting.splice(0, batchMax));
    }
    this.#draining = undefined;
  }

  async #commitTogether(batch: readonly Job[]): Promise<void> {
    const answers: (() => void)[] = [];
    try {
      this.#run("BEGIN IMMEDIATE");
      const isDone = await performAll(batch, answers);
      if (!isDone) {
        if (this.#database.inTransaction) this.#run("ROLLBACK");
        this.#run("BEGIN IMMEDIATE");
        for (const job of batch) answers.push(await this.#performAlone(job));
      }
      this.#run("COMMIT");
    } catch (thrown) {
      // A full disk, mostly: nothing of the batch is stored, and the next batch finds out for itself whether there is room again.
      if (this.#database.inTransaction) this.#run("ROLLBACK");
      const error = databaseError(thrown);
      for (const job of batch) job.reject(error);
      return;
    }
    for (const answer of answers) answer();
  }

  async #performAlone(job: Job): Promise<() => void> {
    this.#run("SAVEPOINT job");
    try {
      const answer = await job.perform();
      this.#run("RELEASE job");
      return answer;
    } catch (thrown) {
      // SQLite itself rolls everything back after some faults: then the others of the batch are lost as well.
      if (!this.#database.inTransaction) throw thrown;
      this.#run("ROLLBACK TO job");
      this.#run("RELEASE job");
      return () => job.reject(thrown);
    }
  }

  #run(command: string): void {
    this.#database.query(command).run();
  }
}

/** Performs all jobs, or empties `answers` and says that one has failed. */
async function performAll(batch: readonly Job[], answers: (() => void)[]): Promise<boolean> {
  try {
    for (const job of batch) answers.push(await job.perform());
    return true;
  } catch {
    answers.length = 0;
    return false;
  }
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
