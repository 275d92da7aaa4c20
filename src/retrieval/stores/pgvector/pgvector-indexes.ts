import type { PostgresConnection } from "../../../kit/postgres/postgres-pool.ts";
import type { PgvectorDatabase } from "./pgvector-database.ts";
import type { VectorExtension } from "./pgvector-schema.ts";

/** Maximum dimensions that the extension can index; longer vectors are compared one by one. */
const indexedDimensionsMax = 2000;

/** Name of the index over one collection's vectors. */
export const indexName = (collection: string): string => `rows_hnsw_${collection}`;

interface Due {
  id: string;
  dimension: number;
}

/**
 * Gives every collection with at least `rowsMin` rows its own HNSW index: a shared one would visit neighbours in other collections first.
 * It is built without blocking readers and writers, by one process at a time.
 */
export async function indexLargeCollections(
  database: PgvectorDatabase,
  extension: VectorExtension,
  rowsMin: number,
  signal: AbortSignal,
): Promise<void> {
  const due: Due[] = await database.transact((tx) => largeCollections(tx, rowsMin), { signal });
  for (const collection of due) {
    signal.throwIfAborted();
    await build(database, extension, collection, signal);
  }
}

async function largeCollections(tx: PostgresConnection, rowsMin: number): Promise<Due[]> {
  return tx.unsafe(
    `select c.id::text as id, c.dimension from argosy_vectors.collections c
     where not c.is_indexed and c.dimension <= ${indexedDimensionsMax}
       and exists (select 1 from argosy_vectors.rows r where r.collection = c.id offset ${Math.max(0, Math.floor(rowsMin) - 1)} limit 1)
     order by c.id`,
  );
}

function build(
  database: PgvectorDatabase,
  { schema }: VectorExtension,
  { id, dimension }: Due,
  signal: AbortSignal,
): Promise<void> {
  const index = async (connection: PostgresConnection) => {
    // An interrupted build leaves an unusable index.
    await connection.unsafe(`drop index if exists argosy_vectors.${indexName(id)}`);
    await connection.unsafe(
      `create index concurrently ${indexName(id)} on argosy_vectors.rows
       using hnsw ((embedding::${schema}.vector(${dimension})) ${schema}.vector_cosine_ops) where collection = ${id}`,
    );
    await connection.unsafe(`update argosy_vectors.collections set is_indexed = true where id = ${id}`);
  };
  return database.locked("argosy_vectors.hnsw", index, signal);
}
