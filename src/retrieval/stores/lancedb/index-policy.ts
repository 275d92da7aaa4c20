/** What is known of a table when its upkeep is decided. */
export interface TableState {
  rows: number;
  /** Files that hold few rows, as many small additions leave them. */
  smallFragments: number;
  /** Rows that searches by words have to read one by one. */
  textsUnindexed: number;
  /** Of the index over vectors; absent: there is none. */
  vectors?: { unindexed: number; partitions: number } | undefined;
  /** Rows were removed or replaced since files were last put together. */
  hasRemoved: boolean;
  /** Versions before the present one could be removed by now. */
  hasOldVersions: boolean;
}

export interface Upkeep {
  /** Partitions that the index over vectors is to be built with. */
  partitions?: number;
  /** Put files together, bring indexes up to date and remove what old versions need. */
  optimize: boolean;
}

/** Below, comparing all vectors takes no longer than an index would. */
export const indexedFromRows = 20_000;

/** An index that has this many times the partitions it should have makes no difference yet. */
const growthMax = 2;
const smallFragmentsMax = 32;
/** Reading a thousand texts one by one takes some 7 ms, comparing as many vectors 0.3 ms. */
const textsUnindexedMax = 1000;
const vectorsUnindexedMax = 5000;
const shareUnindexedMax = 0.1;

/**
 * Exact search for small tables; from 20,000 rows on an IVF_FLAT index of sqrt(rows) partitions, built anew when four times as
 * many rows have come. Rows that no index has yet are found all the same, only slower.
 */
export function dueUpkeep(state: TableState): Upkeep {
  const { rows, vectors } = state;
  const wanted = Math.round(Math.sqrt(rows));
  const isBuildDue =
    rows >= indexedFromRows && (vectors === undefined || wanted >= vectors.partitions * growthMax);
  const isBehind =
    state.textsUnindexed > textsUnindexedMax ||
    (vectors !== undefined &&
      vectors.unindexed > Math.min(vectorsUnindexedMax, Math.max(1, rows * shareUnindexedMax)));
  const optimize =
    isBehind || state.smallFragments >= smallFragmentsMax || state.hasRemoved || state.hasOldVersions;
  return { optimize, ...(isBuildDue ? { partitions: wanted } : {}) };
}

/** Partitions that are always looked at: on data with clusters the ten best are found in them 98 times of 100 and more. */
export function probesOf(partitions: number): number {
  return Math.max(20, Math.ceil(partitions / 10));
}
