import type { PostgresConnection } from "../../../kit/postgres/postgres-pool.ts";
import { compareTexts } from "../compare-texts.ts";
import { queryVector, requireSelection, selectsNothing, storedRows } from "../stored-row.ts";
import { scoreOf } from "../unit-vector.ts";
import type { RowSelection, VectorBatch, VectorCollection, VectorHit, VectorQuery } from "../vector-store.ts";
import { questionWords, type Stems, wordRule } from "../words/search-words.ts";
import type { PgvectorDatabase } from "./pgvector-database.ts";
import type { VectorExtension } from "./pgvector-schema.ts";
import { fromPostgresText } from "./postgres-text.ts";
import { Parameters, selectionSql, visibleSql } from "./row-conditions.ts";
import { quotedWord, rowValues, vectorText } from "./row-values.ts";

/** The collection's record in PostgreSQL; its number identifies it in every statement. */
export interface PgvectorPlace {
  id: string;
  isIndexed: boolean;
}

export interface PgvectorCollectionParts {
  database: PgvectorDatabase;
  extension: VectorExtension;
  /** Tenant of the collection. */
  owner: string;
  /** Returns the collection's record; undefined if it was dropped. */
  find(tx: PostgresConnection): Promise<PgvectorPlace | undefined>;
  /** Returns the collection's record, and creates it if it is missing. */
  ensure(tx: PostgresConnection): Promise<PgvectorPlace>;
}

/** Approximate maximum characters of one statement. */
const statementCharactersMax = 2 * 1024 * 1024;

export class PgvectorCollection implements VectorCollection {
  readonly dimension: number;
  readonly #parts: PgvectorCollectionParts;
  readonly #vectorType: string;
  readonly #distance: string;

  constructor(dimension: number, parts: PgvectorCollectionParts) {
    this.dimension = dimension;
    this.#parts = parts;
    const { schema } = parts.extension;
    this.#vectorType = `${schema}.vector(${dimension})`;
    this.#distance = `operator(${schema}.<=>)`;
  }

  async add(batch: VectorBatch): Promise<void> {
    // Sorted, so that two writers of the same rows can't deadlock.
    const rows = storedRows(batch, this.dimension).sort((one, other) => compareTexts(one.id, other.id));
    if (rows.length === 0) return;
    const { database, owner, ensure } = this.#parts;
    const write = async (tx: PostgresConnection) => {
      const { id } = await ensure(tx);
      let values: string[] = [];
      let characters = 0;
      const stems: Stems = new Map();
      const send = async () => {
        await tx.unsafe(this.#insertSql(id), [`[${values.join(",")}]`]);
        values = [];
        characters = 0;
      };
      for (const row of rows) {
        const value = JSON.stringify(rowValues(row, stems));
        if (values.length > 0 && characters + value.length > statementCharactersMax) await send();
        values.push(value);
        characters += value.length;
      }
      await send();
    };
    await database.transact(write, { owner });
  }

  async nearest(query: VectorQuery): Promise<VectorHit[]> {
    const vector = queryVector(query.vector, this.dimension);
    if (query.limit < 1) return [];
    return this.#inPlace<VectorHit[]>(
      [],
      async (tx, { id, isIndexed }) => {
        const parameters = new Parameters();
        const distance = `embedding::${this.#vectorType} ${this.#distance} ${parameters.text(vectorText(vector))}::${this.#vectorType}`;
        const statement = `select id, group_id, text, metadata, (1 - (${distance}))::float8 as score
        from argosy_vectors.rows where collection = ${id}${visibleSql(query, parameters)}
        order by ${distance} limit ${Math.floor(query.limit)}`;
        if (isIndexed) {
          await tx.unsafe(
            "select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', $1::text, true)",
            [String(Math.min(1000, Math.max(100, 2 * Math.floor(query.limit))))],
          );
        }
        const found = await tx.unsafe(statement, parameters.values);
        if (!isIndexed || found.length >= query.limit) return hitsOf(found).sort(bestFirst);
        // Without the index, which stops after a number of rows that fail the filter, and has no zero vectors.
        await tx.unsafe("set local enable_indexscan = off");
        return hitsOf(await tx.unsafe(statement, parameters.values)).sort(bestFirst);
      },
      query.signal,
    );
  }

  async matching(query: VectorQuery & { text: string }): Promise<VectorHit[]> {
    const vector = queryVector(query.vector, this.dimension);
    const words = [...questionWords(query.text)].map(quotedWord);
    query.signal.throwIfAborted();
    if (words.length === 0 || query.limit < 1) return [];
    return this.#inPlace<VectorHit[]>(
      [],
      async (tx, { id }) => {
        const parameters = new Parameters();
        // A word weighs more if fewer of the found rows have it, and less if the row is longer.
        const statement = `with asked as (select word::tsquery as word from ${parameters.texts(words)} as asked(word)),
        found as (
          select r.id, asked.word::text as word, ts_rank(r.words, asked.word, 1)::float8 as weight
          from asked join argosy_vectors.rows r on r.words @@ asked.word
          where r.collection = ${id}${visibleSql(query, parameters)}
        ),
        rarity as (
          select word, ln(1 + (select count(distinct id) from found)::float8 / count(*)) as rarity
          from found group by word
        ),
        ranked as (
          select found.id, sum(found.weight * rarity.rarity) as rank
          from found join rarity using (word)
          group by found.id order by rank desc, found.id limit ${Math.floor(query.limit)}
        )
        select r.id, r.group_id, r.text, r.metadata,
          (1 - (r.embedding ${this.#distance} ${parameters.text(vectorText(vector))}::${this.#vectorType}))::float8 as score
        from ranked join argosy_vectors.rows r on r.collection = ${id} and r.id = ranked.id
        order by ranked.rank desc, r.id`;
        return hitsOf(await tx.unsafe(statement, parameters.values));
      },
      query.signal,
    );
  }

  async remove(what: RowSelection): Promise<void> {
    requireSelection(what);
    if (selectsNothing(what)) return;
    await this.#inPlace(undefined, async (tx, { id }) => {
      const parameters = new Parameters();
      const where = `collection = ${id}${selectionSql(what, parameters)}`;
      await tx.unsafe(`delete from argosy_vectors.rows where ${where}`, parameters.values);
    });
  }

  async count(): Promise<number> {
    return this.#inPlace(0, async (tx, { id }) => {
      const [row] = await tx.unsafe(
        `select count(*)::int as rows from argosy_vectors.rows where collection = ${id}`,
      );
      return Number(row.rows);
    });
  }

  async list(
    what: RowSelection,
    { after, limit }: { after?: string; limit: number },
  ): Promise<Omit<VectorHit, "score">[]> {
    if (selectsNothing(what) || limit < 1) return [];
    return this.#inPlace<Omit<VectorHit, "score">[]>([], async (tx, { id }) => {
      const parameters = new Parameters();
      const following = after === undefined ? "" : ` and id > ${parameters.text(after)}`;
      const rows: StoredHit[] = await tx.unsafe(
        `select id, group_id, text, metadata from argosy_vectors.rows
         where collection = ${id}${following}${selectionSql(what, parameters)} order by id limit ${Math.floor(limit)}`,
        parameters.values,
      );
      return rows.map(rowOf);
    });
  }

  /** Returns the result of `work`, or `without` if the collection was dropped. */
  async #inPlace<T>(
    without: T,
    work: (tx: PostgresConnection, place: PgvectorPlace) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { database, owner, find } = this.#parts;
    const inPlace = async (tx: PostgresConnection) => {
      const place = await find(tx);
      return place ? work(tx, place) : without;
    };
    return database.transact(inPlace, { owner, signal });
  }

  #insertSql(collection: string): string {
    return `insert into argosy_vectors.rows (collection, id, group_id, write_id, text, metadata, leaves, words, words_rule, embedding)
      select ${collection}, id, group_id, write_id, text, metadata, leaves, words::tsvector, ${wordRule}, embedding::${this.#vectorType}
      from jsonb_to_recordset($1::text::jsonb) as batch(id text, group_id text, write_id text, text text, metadata text,
        leaves jsonb, words text, embedding text)
      on conflict (collection, id) do update set group_id = excluded.group_id, write_id = excluded.write_id,
        text = excluded.text, metadata = excluded.metadata, leaves = excluded.leaves, words = excluded.words, words_rule = excluded.words_rule,
        embedding = excluded.embedding`;
  }
}

interface StoredHit {
  id: string;
  group_id: string;
  text: string;
  metadata: string;
}

const rowOf = (row: StoredHit): Omit<VectorHit, "score"> => ({
  id: fromPostgresText(row.id),
  group: fromPostgresText(row.group_id),
  text: fromPostgresText(row.text),
  metadata: JSON.parse(row.metadata),
});

/** PostgreSQL returns NaN for zero vectors, which have no angle. */
const hitsOf = (rows: readonly (StoredHit & { score: number })[]): VectorHit[] =>
  rows.map((row) => ({ ...rowOf(row), score: scoreOf(Number(row.score)) }));

const bestFirst = (one: VectorHit, other: VectorHit) =>
  other.score - one.score || compareTexts(one.id, other.id);
