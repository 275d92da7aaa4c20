import { batches } from "../kit/batches.ts";
import type { Logger } from "../kit/log.ts";
import { type Begun, beginAll, endWork, parkedKeys, type WorkKind } from "./begun-work.ts";
import type { Storage } from "./storage.ts";

/** Rows begun in one statement. A crash makes all of them suspects, which are then done one by one. */
const begunTogether = 64;

export interface CountedWork<Row> {
  kind: WorkKind;
  /** Id of this process, new at each start. Only one process at a time may do work of this kind with these rows. */
  owner: string;
  keyOf: (row: Row) => string;
  /** Does the work of some rows: of several that were never interrupted, or of one that was. */
  work: (rows: readonly Row[]) => Promise<void>;
  /** Called with rows that are parked and must not be done. */
  parked: (rows: readonly Row[]) => Promise<void> | void;
  /** True when the process stops: what is under way is then no interruption, and the next row doesn't begin. */
  isStopped: () => boolean;
}

/** Does work on rows that the next process takes up if this one dies. A row with which three processes died doesn't hold up the others. */
export async function doCounted<Row>(
  storage: Storage,
  rows: readonly Row[],
  counted: CountedWork<Row>,
): Promise<void> {
  for (const some of batches(rows, begunTogether)) {
    if (counted.isStopped()) return;
    await doTogether(storage, some, counted);
  }
}

async function doTogether<Row>(storage: Storage, rows: readonly Row[], counted: CountedWork<Row>) {
  const { kind, owner, keyOf, parked, isStopped } = counted;
  const begun = await beginAll(storage, kind, rows.map(keyOf), owner);
  const are = (state: Begun) => rows.filter((row) => begun.get(keyOf(row)) === state);
  const [innocent, suspects, tooOften] = [are("begun"), are("suspect"), are("parked")];
  // What kills the process now is none of these.
  await endWork(storage, kind, [...suspects, ...tooOften].map(keyOf), { stopped: true });
  if (tooOften.length > 0) await parked(tooOften);
  await doBegun(storage, innocent, counted);
  for (const row of suspects) {
    if (isStopped()) return;
    await beginAll(storage, kind, [keyOf(row)], owner);
    await doBegun(storage, [row], counted);
  }
}

async function doBegun<Row>(
  storage: Storage,
  rows: readonly Row[],
  { kind, keyOf, work, isStopped }: CountedWork<Row>,
): Promise<void> {
  if (rows.length === 0) return;
  try {
    await work(rows);
  } finally {
    await endWork(storage, kind, rows.map(keyOf), { stopped: isStopped() });
  }
}

export interface CountedSweep<Row> extends Pick<CountedWork<Row>, "kind" | "owner" | "keyOf"> {
  log: Logger;
  signal?: AbortSignal | undefined;
  /** Does the work of one row. Its error ends the sweep. */
  work: (row: Row) => Promise<void>;
}

/**
 * Does work on each row that a sweep found due, without those that are parked. A row that is parked now is logged once, and waits until a
 * person retries it.
 */
export async function sweepCounted<Row>(
  storage: Storage,
  rows: readonly Row[],
  { work, log, signal, ...counted }: CountedSweep<Row>,
): Promise<void> {
  if (rows.length === 0) return;
  const { kind, keyOf } = counted;
  const isStopped = () => signal?.aborted === true;
  const parked = await parkedKeys(storage, kind);
  await doCounted(
    storage,
    rows.filter((row) => !parked.has(keyOf(row))),
    {
      ...counted,
      isStopped,
      async work(some) {
        for (const row of some) {
          if (isStopped()) return;
          await work(row);
        }
      },
      parked: (some) => {
        for (const row of some) log.error("work.parked", { kind, key: keyOf(row) });
      },
    },
  );
}
