/** State of a table that decides on its maintenance. */
export interface TableState {
  rows: number;
  /** Number of files with few rows, which many small additions create. */
  smallFragments: number;
  /** Number of rows that searches by words have to read one by one. */
  textsUnindexed: number;
  /** State of the vector index; absent if there is none. */
  vectors?: { unindexed: number; partitions: number } | undefined;
  /** True if rows were removed or replaced since the last compaction. */
  hasRemoved: boolean;
  /** True if earlier versions may be removed now. */
  hasOldVersions: boolean;
}

export interface Upkeep {
  /** Partitions for building the vector index. */
  partitions?: number;
  /** Compact files, update indexes and remove files of old versions. */
  optimize: boolean;
}

/** Below this number, comparing all vectors is as fast as an index. */
export const indexedFromRows = 20_000;

/** The index is rebuilt once its wanted partitions are this many times the present ones. */
const growthMax = 2;
const smallFragmentsMax = 32;
/** Reading 1,000 texts one by one takes about 7 ms, comparing as many vectors 0.3 ms. */
const textsUnindexedMax = 1000;
const vectorsUnindexedMax = 5000;
const shareUnindexedMax = 0.1;

/**
 * Uses exact search for small tables. From 20,000 rows on, an IVF_FLAT index with sqrt(rows) partitions, rebuilt when the number of rows
 * has quadrupled. Rows that are not indexed yet are also found, only more slowly.
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

/** Minimum partitions that a search reads: on clustered data they contain the ten best rows in at least 98 of 100 cases. */
export function probesOf(partitions: number): number {
  return Math.max(20, Math.ceil(partitions / 10));
}
