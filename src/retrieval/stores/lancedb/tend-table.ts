import { dueUpkeep, type TableState } from "./index-policy.ts";
import type { LanceTable } from "./lance-table.ts";
import type { LanceLibrary } from "./native/lance-library.ts";

export const textIndex = "text_idx";
const vectorIndexName = /^vector_(\d+)_idx$/;

/**
 * Old versions stay for as long as a search that began with one may last. A folder is searched by this process alone, which is
 * through with it within seconds; every version kept there holds the files that were put together since.
 */
export const versionsKeptMs = { folder: 20_000, objectStore: 5 * 60_000 };

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
export async function tendTable(
  { lance }: LanceLibrary,
  table: LanceTable,
  { now, keptMs }: { now: Date; keptMs: number },
): Promise<boolean> {
  const { partitions, optimize } = dueUpkeep(await tableState(table, { now, keptMs }));
  // First, so that the new index is not written again because rows have moved.
  if (optimize) {
    // What is removed meanwhile is for the next time.
    table.hasRemoved = false;
    if (!(await table.optimize(new Date(now.getTime() - keptMs)))) return true;
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

async function tableState(
  table: LanceTable,
  { now, keptMs }: { now: Date; keptMs: number },
): Promise<TableState> {
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
    hasOldVersions: ageMs > keptMs && versions.length > (table.isStale ? 1 : versionsMax),
  };
}

/** So many versions of small additions are no reason to touch them. */
const versionsMax = 16;

const vectorIndex = (partitions: number) => `vector_${partitions}_idx`;
