import type { PostgresConnection } from "../../../kit/postgres/postgres-pool.ts";
import { storeUnavailable } from "../store-failure.ts";
import { wordRule } from "../words/search-words.ts";
import { postgresCode } from "./pgvector-failure.ts";

/** The version that added `hnsw.iterative_scan`, without which a filtered search may find too few rows. */
const oldestVersion = [0, 8];

/** Schema of the extension in PostgreSQL: a quoted name, the prefix of its types and operators. */
export interface VectorExtension {
  schema: string;
}

/** Creates missing parts: extension, schema and tables. Throws AppError `vectors_unavailable` that says what the operator has to do. */
export async function preparePgvector(tx: PostgresConnection): Promise<VectorExtension> {
  const found = await findExtension(tx);
  if (found && (await hasAllParts(tx))) return found;
  // If several processes start at once, only one creates them.
  await tx.unsafe("select pg_advisory_xact_lock(hashtext('argosy_vectors'))");
  const extension = (await findExtension(tx)) ?? (await createExtension(tx));
  if (!(await hasTables(tx))) for (const statement of statementsFor(extension)) await tx.unsafe(statement);
  if (!(await hasAllParts(tx))) for (const statement of addedLater) await tx.unsafe(statement);
  return extension;
}

async function hasAllParts(tx: PostgresConnection): Promise<boolean> {
  const [row] = await tx.unsafe(
    `select to_regclass('argosy_vectors.${oldWordsIndex}') is not null as is_there`,
  );
  return Boolean(row.is_there);
}

async function hasTables(tx: PostgresConnection): Promise<boolean> {
  const [row] = await tx.unsafe("select to_regclass('argosy_vectors.rows') is not null as is_there");
  return Boolean(row.is_there);
}

async function findExtension(tx: PostgresConnection): Promise<VectorExtension | undefined> {
  const [found] = await tx.unsafe(
    "select extversion as version, quote_ident(nspname) as schema from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'vector'",
  );
  if (!found) return undefined;
  const [major = 0, minor = 0] = String(found.version).split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestVersion;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
    throw storeUnavailable(
      `PostgreSQL has version ${found.version} of the extension "vector"; version ${oldestVersion.join(".")}.0 or newer is needed. Install it, then run ALTER EXTENSION vector UPDATE.`,
    );
  return { schema: String(found.schema) };
}

async function createExtension(tx: PostgresConnection): Promise<VectorExtension> {
  await tx.unsafe("savepoint made");
  try {
    await tx.unsafe("create extension if not exists vector");
    await tx.unsafe("release savepoint made");
  } catch (thrown) {
    await tx.unsafe("rollback to savepoint made");
    const code = postgresCode(thrown) ?? "";
    if (code === "42501")
      throw storeUnavailable(
        'PostgreSQL does not let this user add the extension "vector". Let a superuser run CREATE EXTENSION vector in this database once.',
      );
    if (/^(0A000|58P01|42704)$/.test(code))
      throw storeUnavailable(
        'This PostgreSQL server has no extension "vector". Install pgvector 0.8 or newer on it (Debian: postgresql-<version>-pgvector), then run CREATE EXTENSION vector in this database, or choose another vector store.',
      );
    throw thrown;
  }
  const made = await findExtension(tx);
  if (!made)
    throw storeUnavailable('PostgreSQL did not make the extension "vector"; run CREATE EXTENSION vector.');
  return made;
}

/** Collation "C" sorts ids by bytes, which is the order of code points. A column `vector` without a length accepts any. */
const statementsFor = ({ schema }: VectorExtension): string[] => [
  "create schema if not exists argosy_vectors",
  `create table argosy_vectors.collections (
    id bigint generated always as identity primary key,
    tenant text collate "C" not null,
    kind text collate "C" not null,
    name text collate "C" not null,
    dimension integer not null,
    is_indexed boolean not null default false,
    unique (tenant, kind, name)
  )`,
  `create table argosy_vectors.rows (
    collection bigint not null references argosy_vectors.collections on delete cascade,
    id text collate "C" not null,
    group_id text collate "C" not null,
    write_id text collate "C" not null,
    text text not null,
    metadata text not null,
    leaves jsonb not null,
    words tsvector not null,
    embedding ${schema}.vector not null,
    primary key (collection, id)
  )`,
  "create index rows_by_group on argosy_vectors.rows (collection, group_id)",
  "create index rows_by_write on argosy_vectors.rows (collection, write_id)",
  "create index rows_by_leaves on argosy_vectors.rows using gin (leaves jsonb_path_ops)",
  "create index rows_by_words on argosy_vectors.rows using gin (words)",
];

const oldWordsIndex = `rows_with_words_before_${wordRule}`;

/** The rule by which each row's words were made; rows of older releases have 0. The index finds those whose words are made again. */
const addedLater = [
  "alter table argosy_vectors.rows add column if not exists words_rule smallint not null default 0",
  `create index if not exists ${oldWordsIndex} on argosy_vectors.rows (collection, id) where words_rule < ${wordRule}`,
];
