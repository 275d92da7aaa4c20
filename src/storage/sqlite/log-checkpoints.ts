import type { Database } from "bun:sqlite";
import type { CheckpointThread } from "./checkpoint-thread.ts";

/** Pages of 4 KiB after which the thread moves them; also SQLite's own limit. */
const movedAfter = 1_000;
/**
 * Length of the log from which a commit waits until the thread has moved all pages: only then does the log begin anew. While writes go
 * on, there are always some that came after the thread began.
 */
const finishedAfter = 2_000;
/** Pages after which SQLite moves them itself, if the thread does not. */
const movedBySqliteAfter = 16_000;

/**
 * Keeps a file's write-ahead log short. Left to itself, SQLite moves the log's pages to the file at the end of some commit and waits for the
 * disk twice, and the event loop stands still for 10 to 30 ms. See https://sqlite.org/wal.html#ckpt.
 */
export class LogCheckpoints {
  readonly #file: string;
  readonly #thread: CheckpointThread;
  readonly #lengths: () => { log: number; checkpointed: number } | null;
  #moving: Promise<void> | undefined;
  /** Pages to move at which the next try begins, and the length of the log at which the next commit waits. Further away after a failed try. */
  #next = { move: movedAfter, finish: finishedAfter };

  constructor(file: string, writer: Database, thread: CheckpointThread) {
    this.#file = file;
    this.#thread = thread;
    writer.run(`PRAGMA wal_autocheckpoint = ${movedBySqliteAfter}`);
    this.#lengths = () => {
      try {
        return writer.query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)").get();
      } catch {
        // The disk fails. The next commit looks again.
        return null;
      }
    };
  }

  /** Called after each commit. If it returns a promise, the next transaction must not begin before that resolves. */
  committed(): Promise<void> | undefined {
    const lengths = this.#moving === undefined ? this.#lengths() : null;
    if (lengths === null) return undefined;
    const { log, checkpointed } = lengths;
    const left = log - checkpointed;
    if (left < movedAfter) this.#next.move = movedAfter;
    if (log < finishedAfter) this.#next.finish = finishedAfter;
    if (left >= this.#next.move) {
      this.#next.move = left + movedAfter;
      void this.#move();
    } else if (log >= this.#next.finish) {
      this.#next.finish = log + finishedAfter;
      return this.#move();
    }
    return undefined;
  }

  /** Resolves when nothing is being moved and the thread has let go of the file. */
  async close(): Promise<void> {
    await this.#moving;
    await this.#thread.release(this.#file);
  }

  #move(): Promise<void> {
    this.#moving = this.#thread.move(this.#file).finally(() => {
      this.#moving = undefined;
    });
    return this.#moving;
  }
}
