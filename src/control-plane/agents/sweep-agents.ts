import { toAppError } from "../../kit/app-error.ts";
import { type CountedSweep, sweepCounted } from "../../storage/counted-work.ts";
import type { Storage } from "../../storage/storage.ts";
import { isStorageAway } from "../../storage/until-stored.ts";

const batchMax = 200;

/** Reads rows that are due, in the order of their ids, after this one. */
export type ReadDue<Row> = (after: string, limit: number) => PromiseLike<Row[]>;

/** Does work on every row that is due, batch by batch. An error of the work ends the sweep. */
export async function sweepDue<Row extends { id: string }>(
  storage: Storage,
  readDue: ReadDue<Row>,
  sweep: CountedSweep<Row>,
): Promise<void> {
  let rows: Row[] = [];
  do {
    rows = await readDue(rows.at(-1)?.id ?? "", batchMax);
    await sweepCounted(storage, rows, sweep);
  } while (rows.length === batchMax && !sweep.signal?.aborted);
}

/** Counts what was done, so that one row that fails doesn't hold up the others. */
export class Attempts {
  done = 0;
  failed = 0;
  /** Code of the last failure. */
  code = "";

  /** Does one row's work; rejects only if the storage is away. */
  async one(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.done++;
    } catch (thrown) {
      if (isStorageAway(thrown)) throw thrown;
      this.failed++;
      this.code = toAppError(thrown).code;
    }
  }
}
