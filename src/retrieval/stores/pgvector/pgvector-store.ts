import type { Clock } from "../../../kit/clock.ts";
import type { PostgresConnection } from "../../../kit/postgres/postgres-pool.ts";
import type { PostgresServers } from "../../../kit/postgres/postgres-servers.ts";
import type { Random } from "../../../kit/retry.ts";
import { dimensionMismatch } from "../store-failure.ts";
import type { CollectionKey, VectorStore } from "../vector-store.ts";
import { writtenPlace } from "../written-place.ts";
import { PgvectorCollection, type PgvectorPlace } from "./pgvector-collection.ts";
import { PgvectorDatabase } from "./pgvector-database.ts";
import { indexLargeCollections, indexName } from "./pgvector-indexes.ts";
import { preparePgvector, type VectorExtension } from "./pgvector-schema.ts";
import { toPostgresText } from "./postgres-text.ts";
import { renewWords } from "./renew-words.ts";

export interface PgvectorStoreOptions {
  /** Connection string. */
  url: string;
  clock: Clock;
  random: Random;
  /** The PostgreSQL servers that this process knows. */
  servers?: PostgresServers | undefined;
  /** Connections at once; 4. */
  connectionsMax?: number;
  /** Number of rows from which a collection gets an index; smaller ones are compared row by row. Default: 20,000. */
  indexedRowsMin?: number;
}

/**
 * Creates a store in PostgreSQL with the extension pgvector 0.8 or newer, in a schema `argosy_vectors` that it creates. Several processes
 * may share it.
 */
export function createPgvectorStore(options: PgvectorStoreOptions): VectorStore {
  const { url, clock, random, servers, connectionsMax = 4, indexedRowsMin = 20_000 } = options;
  const database = new PgvectorDatabase({ url, clock, random, servers, connectionsMax });
  let extension: VectorExtension | undefined;

  /** Tried again after a failure, because the operator may have fixed it. */
  const prepared = async () => {
    extension ??= await database.transact(preparePgvector);
    return extension;
  };

  const open: VectorStore["open"] = async (key, dimension) => {
    const parts = { database, extension: await prepared() };
    const find = (tx: PostgresConnection) => findPlace(tx, key, dimension);
    const ensure = (tx: PostgresConnection) => ensurePlace(tx, key, dimension);
    const owner = key.tenant;
    const { id } = await database.transact(ensure, { owner });
    await renewWords(database, { id, owner });
    return new PgvectorCollection(dimension, { ...parts, owner, find, ensure });
  };
  return {
    backend: "pgvector",
    open,
    async drop(key) {
      await prepared();
      await database.transact((tx) => dropCollection(tx, key), { owner: key.tenant });
    },
    async maintain(signal) {
      await indexLargeCollections(database, await prepared(), indexedRowsMin, signal);
    },
    place: () => writtenPlace({ open }),
    async check() {
      await prepared();
      await database.transact((tx) => tx.unsafe("select 1"));
    },
    close: () => database.close(),
  };
}

const keyValues = ({ tenant, kind, name }: CollectionKey) => [tenant, kind, name].map(toPostgresText);

async function findPlace(
  tx: PostgresConnection,
  key: CollectionKey,
  dimension: number,
): Promise<PgvectorPlace | undefined> {
  const [found] = await tx.unsafe(
    `select id::text as id, dimension, is_indexed from argosy_vectors.collections
     where tenant = $1::text and kind = $2::text and name = $3::text`,
    keyValues(key),
  );
  if (!found) return undefined;
  if (found.dimension !== dimension) throw dimensionMismatch(Number(found.dimension), dimension);
  return { id: String(found.id), isIndexed: Boolean(found.is_indexed) };
}

async function ensurePlace(
  tx: PostgresConnection,
  key: CollectionKey,
  dimension: number,
): Promise<PgvectorPlace> {
  const place = await findPlace(tx, key, dimension);
  if (place) return place;
  await tx.unsafe(
    `insert into argosy_vectors.collections (tenant, kind, name, dimension)
     values ($1::text, $2::text, $3::text, $4::int) on conflict do nothing`,
    [...keyValues(key), dimension],
  );
  const made = await findPlace(tx, key, dimension);
  // Another process dropped it in between, so try again.
  return made ?? ensurePlace(tx, key, dimension);
}

async function dropCollection(tx: PostgresConnection, key: CollectionKey): Promise<void> {
  const [dropped] = await tx.unsafe(
    `delete from argosy_vectors.collections where tenant = $1::text and kind = $2::text and name = $3::text
     returning id::text as id, is_indexed`,
    keyValues(key),
  );
  if (dropped?.is_indexed) await tx.unsafe(`drop index if exists argosy_vectors.${indexName(dropped.id)}`);
}
