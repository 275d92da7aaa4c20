import { dueUpkeep, type TableState } from "./index-policy.ts";
import type { LanceTable } from "./lance-table.ts";
import type { LanceLibrary } from "./native/lance-library.ts";

export const textIndex = "text_idx";
const vectorIndexName = /^vector_(\d+)_idx$/;

/** Old versions stay for as long as a search that began with one may last, in this process or another. */
const versionsKeptMs = 5 * 60_000;

/** Words as the Unicode standard divides them, also where nothing stands between them (Chinese, Japanese, Thai). */
export const wordIndex = ({ lance }: LanceLibrary) =>
  lance.Index.fts({
    baseTokenizer: "icu/split",
    // Phrases aren't asked for, and positions take more room than all the rest.
    withPosition: false,
    // In other languages these words mean something, and BM25 weighs what stands everywhere next to nothing.
    removeStopWords: false,
  });

/** Takes note of the table's index over vectors; of two, which a process leaves that dies between, the larger counts. */
export async function readIndexes(table: LanceTable): Promise<{ hasTextIndex: boolean; spare: string[] }> {
  const names = (await table.handle.listIndices()).map(({ name }) => name);
  const partitions = names.map((name) => Number(vectorIndexName.exec(name)?.[1] ?? 0));
  table.partitions = Math.max(0, ...partitions);
  const isSpare = (name: string) => vectorIndexName.test(name) && name !== vectorIndex(table.partitions);
  return { hasTextIndex: names.includes(textIndex), spare: names.filter(isSpare) };
}

/**
 * Does what is due for the table: puts small files together, brings indexes up to date, removes what only old versions need and
 * builds the index over vectors. Resolves with whether it should be looked at again though nobody writes to it.
 */
export async function tendTable({ lance }: LanceLibrary, table: LanceTable, now: Date): Promise<boolean> {
  const { partitions, optimize } = dueUpkeep(await tableState(table, now));
  // First, so that the new index is not written again because rows have moved.
  if (optimize) {
    // What is removed meanwhile is for the next time.
    table.hasRemoved = false;
    await table.handle.optimize({ cleanupOlderThan: new Date(now.getTime() - versionsKeptMs) });
  }
  if (partitions !== undefined) {
    const config = lance.Index.ivfFlat({ distanceType: "cosine", numPartitions: partitions });
    await table.index("vector", vectorIndex(partitions), config);
  }
  const { spare } = await readIndexes(table);
  for (const name of spare) await table.handle.dropIndex(name);
  if (optimize || partitions !== undefined) table.isStale = true;
  return table.isStale;
}

async function tableState(table: LanceTable, now: Date): Promise<TableState> {
  const { handle, partitions, hasRemoved } = table;
  const [stats, texts, vectors, versions] = await Promise.all([
    handle.stats(),
    handle.indexStats(textIndex),
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
    hasOldVersions: ageMs > versionsKeptMs && versions.length > (table.isStale ? 1 : versionsMax),
  };
}

/** So many versions of small additions are no reason to touch them. */
const versionsMax = 16;

const vectorIndex = (partitions: number) => `vector_${partitions}_idx`;
