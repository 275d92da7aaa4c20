import { join } from "node:path";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import type { LanceStoreOptions } from "../../src/retrieval/stores/lancedb/lance-options.ts";
import { createLanceStore } from "../../src/retrieval/stores/lancedb/lance-store.ts";
import { createLanceLoader } from "../../src/retrieval/stores/lancedb/native/load-lance.ts";
import type { CollectionKey, VectorBatch, VectorStore } from "../../src/retrieval/stores/vector-store.ts";

/** A LanceDB store below `folder`, with the changes of `options`. */
export function lanceStore(folder: string, options: Partial<LanceStoreOptions> = {}): VectorStore {
  const load = createLanceLoader({ dataFolder: folder, log: silentLogger });
  return createLanceStore({
    place: join(folder, "vectors"),
    load,
    clock: systemClock,
    log: silentLogger,
    ...options,
  });
}

export const someCollection: CollectionKey = { tenant: "t", kind: "rag", name: "notes" };

/** One row to add; omitted fields are the same for all rows. */
export interface TestRow {
  id: string;
  group?: string;
  text?: string;
  metadata?: Record<string, unknown>;
  vector?: readonly number[];
}

/** Returns the rows as a batch of `write`; vectors have two numbers by default. */
export function batchOf(rows: readonly TestRow[], write = "w1"): VectorBatch {
  return {
    ids: rows.map(({ id }) => id),
    groups: rows.map(({ group = "g" }) => group),
    write,
    texts: rows.map(({ text = "some words" }) => text),
    metadata: rows.map(({ metadata = {} }) => metadata),
    vectors: Float32Array.from(rows.flatMap(({ vector = [1, 0] }) => vector)),
  };
}

/** The common fields of every query. */
export const asked = (vector: readonly number[], limit: number) => ({
  vector: Float32Array.from(vector),
  limit,
  signal: new AbortController().signal,
});

/** State of the only table below `place`, read without a store of this project. */
export async function tableState(place: string) {
  // Not for those that only use a store, which loads the library in its own way.
  const { connect } = await import("@lancedb/lancedb");
  const connection = await connect(place);
  const [name = ""] = await connection.tableNames();
  const table = await connection.openTable(name);
  const [stats, words, versions] = await Promise.all([
    table.stats(),
    table.indexStats("words_1_idx"),
    table.listVersions(),
  ]);
  table.close();
  connection.close();
  return {
    rows: stats.numRows,
    files: stats.fragmentStats.numFragments,
    unindexed: words?.numUnindexedRows,
    versions: versions.length,
  };
}
