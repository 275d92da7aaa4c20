import { dueUpkeep, type TableState } from "./index-policy.ts";
import type { LanceTable } from "./lance-table.ts";
import type { LanceLibrary } from "./native/lance-library.ts";
import { wordsColumn } from "./rows/arrow-rows.ts";

/** The index over the words of texts, named after the rule that makes them. */
export const wordsIndex = `${wordsColumn}_idx`;
const vectorIndexName = /^vector_(\d+)_idx$/;

/**
 * Old versions are kept as long as a search on them may last. A folder is searched only by this process, within seconds; every version kept
 * there holds the files that were compacted since.
 */
export const versionsKeptMs = { folder: 20_000, objectStore: 5 * 60_000 };

/** The column has the words as they are searched, separated by spaces. */
export const wordIndex = ({ lance }: LanceLibrary) =>
  lance.Index.fts({
    baseTokenizer: "whitespace",
    lowercase: false,
    asciiFolding: false,
    stem: false,
    // Bytes; words are cut to 64 characters.
    maxTokenLength: 256,
    // Phrases can't be searched, and positions would take more space than all the rest.
    withPosition: false,
    // Stop words of one language may have a meaning in others, and BM25 gives frequent words hardly any weight.
    removeStopWords: false,
  });

/** Reads the table's vector index. If a crash left two, the larger one is used. */
export async function readIndexes(table: LanceTable): Promise<{ hasWordsIndex: boolean; spare: string[] }> {
  const names = (await table.handle.listIndices()).map(({ name }) => name);
  const partitions = names.map((name) => Number(vectorIndexName.exec(name)?.[1] ?? 0));
  table.partitions = Math.max(0, ...partitions);
  const isSpare = (name: string) => vectorIndexName.test(name) && name !== vectorIndex(table.partitions);
  return { hasWordsIndex: names.includes(wordsIndex), spare: names.filter(isSpare) };
}

interface Tending {
  now: Date;
  /** Versions are kept for this long. */
  keptMs: number;
  /** True if the process ends after this. A few old versions are then left, so that its user doesn't wait for their removal. */
  isLast: boolean;
}

/**
 * Performs due maintenance: compacts small files, updates indexes, removes files of old versions and builds the vector index. Resolves with
 * true if the table has to be checked again without further writes.
 */
export async function tendTable(
  { lance }: LanceLibrary,
  table: LanceTable,
  tending: Tending,
): Promise<boolean> {
  const { partitions, optimize } = dueUpkeep(await tableState(table, tending));
  const { now, keptMs } = tending;
  // Optimizes before a build, so that moved rows don't cause the new index to be rewritten, and no compaction is due during the build.
  if (optimize || partitions !== undefined) {
    // Concurrent removals are handled next time.
    table.hasRemoved = false;
    if (!(await table.optimize(new Date(now.getTime() - keptMs)))) return true;
  }
  if (partitions !== undefined) {
    const config = lance.Index.ivfFlat({
      distanceType: "cosine",
      numPartitions: partitions,
      sampleRate: vectorsPerPartition,
    });
    if (!(await table.index("vector", vectorIndex(partitions), config))) return true;
  }
  const { spare } = await readIndexes(table);
  for (const name of spare) await table.handle.dropIndex(name);
  if (optimize || partitions !== undefined) table.isStale = true;
  return table.isStale;
}

async function tableState(table: LanceTable, { now, keptMs, isLast }: Tending): Promise<TableState> {
  const { handle, partitions, hasRemoved, isStale } = table;
  const [stats, texts, vectors, versions] = await Promise.all([
    handle.stats(),
    handle.indexStats(wordsIndex),
    partitions > 0 ? handle.indexStats(vectorIndex(partitions)) : undefined,
    handle.listVersions(),
  ]);
  if (versions.length === 1) table.isStale = false;
  const ageMs = now.getTime() - (versions[0]?.timestamp.getTime() ?? now.getTime());
  return {
    rows: stats.numRows,
    smallFragments: stats.fragmentStats.numSmallFragments,
    textsUnindexed: texts?.numUnindexedRows ?? 0,
    vectors: vectors === undefined ? undefined : { unindexed: vectors.numUnindexedRows, partitions },
    hasRemoved,
    hasOldVersions: ageMs > keptMs && versions.length > (isStale && !isLast ? 1 : versionsMax),
  };
}

/** Up to this many versions of small additions are not worth cleaning up. */
const versionsMax = 16;

/**
 * Vectors by which the centre of a partition is found. LanceDB's default of 256 reads all vectors of a table, because there are as many
 * partitions as the square root of its rows.
 */
const vectorsPerPartition = 64;

const vectorIndex = (partitions: number) => `vector_${partitions}_idx`;
