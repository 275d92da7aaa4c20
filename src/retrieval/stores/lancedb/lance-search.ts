import type { VectorQuery as LanceVectorQuery, Query } from "@lancedb/lancedb";
import { countSteps, inPieces, type Work } from "../../../kit/concurrency/others-turn.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { matchesFilter } from "../filters/vector-filter.ts";
import { searchAgain } from "../search-again.ts";
import { queryVector } from "../stored-row.ts";
import { dotProduct, scoreOf, unitVector } from "../unit-vector.ts";
import type { VectorHit, VectorQuery } from "../vector-store.ts";
import { questionWords } from "../words/search-words.ts";
import { filterSql } from "./facts/filter-sql.ts";
import { probesOf } from "./index-policy.ts";
import type { LanceTable } from "./lance-table.ts";
import { wordsColumn } from "./rows/arrow-rows.ts";
import { sqlAll, sqlIn } from "./sql-literal.ts";

const columns = ["id", "group", "text", "metadata"];

/** Waits for one of LanceDB's threads, and returns the function that releases it. */
export type EnterSearch = (signal: AbortSignal) => Promise<() => void>;

/** A running search: its table, the condition on rows, and its way to one of LanceDB's threads. */
interface Search {
  table: LanceTable;
  query: VectorQuery;
  /** Has length 1. */
  vector: Float32Array;
  where: string | undefined;
  enter: EnterSearch;
}

/** The rows most similar to the query's vector, best first: as many as requested, or all there are. */
export function nearest(table: LanceTable, query: VectorQuery, enter: EnterSearch): Promise<VectorHit[]> {
  const search = prepared(table, query, enter);
  let found: VectorHit[] = [];
  return answered(search, {
    quickly: async (limit) => {
      found = await byVector(search, limit, false);
      return found;
    },
    exactly: (limit) => completed(search, found, limit),
  });
}

/** The rows that share words with `text`, best first by BM25, with the cosine similarity of their vectors. */
export async function matching(
  table: LanceTable,
  query: VectorQuery & { text: string },
  enter: EnterSearch,
): Promise<VectorHit[]> {
  const search = prepared(table, query, enter);
  const words = [...questionWords(query.text)].join(" ");
  query.signal.throwIfAborted();
  if (words === "") return [];
  let found: VectorHit[] = [];
  return answered(search, {
    quickly: async (limit) => {
      const rows = search.table.handle.query().fullTextSearch(words, { columns: wordsColumn });
      found = await fetched(search, rows.select([...columns, "vector", "_score"]).limit(limit));
      return found;
    },
    // The word index is complete.
    exactly: async () => found,
  });
}

function prepared(table: LanceTable, query: VectorQuery, enter: EnterSearch): Search {
  const { filter = {}, exceptWrites = [] } = query;
  const where = sqlAll([
    filterSql(filter)?.sql,
    exceptWrites.length === 0 ? undefined : `NOT ${sqlIn("`write`", exceptWrites)}`,
  ]);
  return { table, query, vector: queryVector(query.vector, table.dimension), where, enter };
}

type Ways = Pick<Parameters<typeof searchAgain>[0], "quickly" | "exactly">;

async function answered({ query }: Search, { quickly, exactly }: Ways): Promise<VectorHit[]> {
  const { filter, limit } = query;
  if (limit < 1) return [];
  const isExact = filter === undefined || filterSql(filter)?.isExact !== false;
  const passes = (hit: VectorHit) => isExact || matchesFilter(hit.metadata, filter ?? {});
  return searchAgain({ limit, passes, quickly, exactly });
}

function byVector(search: Search, limit: number, isWithoutIndex: boolean): Promise<VectorHit[]> {
  const { table, vector } = search;
  const query = table.handle.query().nearestTo(vector).distanceType("cosine");
  query.select([...columns, "_distance"]).limit(limit);
  if (isWithoutIndex) query.bypassVectorIndex();
  // Without a maximum: a filter may leave matching rows in any partition, so partitions are read until there are enough.
  else if (table.partitions > 0) query.maximumNprobes(0).minimumNprobes(probesOf(table.partitions));
  return fetched(search, query);
}

/** Adds rows that the index or the comparison of directions left out: a zero vector has no direction and scores 0. */
async function completed(search: Search, found: VectorHit[], limit: number): Promise<VectorHit[]> {
  const { table, where } = search;
  const count = () => gated(search, () => table.handle.countRows(where));
  if ((await count()) <= found.length) return found;
  const exact = table.partitions > 0 ? await byVector(search, limit, true) : found;
  if (exact.length >= limit) return exact;
  const others = sqlAll([
    where,
    exact.length === 0
      ? undefined
      : `NOT ${sqlIn(
          "id",
          exact.map(({ id }) => id),
        )}`,
  ]);
  const query = table.handle
    .query()
    .select(columns)
    .limit(limit - exact.length);
  return [...exact, ...(await fetched({ ...search, where: others }, query))];
}

type Row = Record<"id" | "group" | "text" | "metadata", string> & {
  _distance?: number;
  vector?: { toArray(): Float32Array };
};

async function fetched(search: Search, query: Query | LanceVectorQuery): Promise<VectorHit[]> {
  if (search.where !== undefined) query.where(search.where);
  const rows: Row[] = await gated(search, () => query.toArray());
  return inPieces(hitsOf(rows, search.vector), search.query.signal);
}

/** Reading a row from Arrow's columns takes 20 µs, and comparing its vector 50 ns a number. */
const stepsPerRow = 2000;
const stepsPerNumber = 5;

function* hitsOf(rows: readonly Row[], unit: Float32Array): Work<VectorHit[]> {
  const hits: VectorHit[] = [];
  for (const { id, group, text, metadata, _distance, vector } of rows) {
    const cosine = vector === undefined ? 1 - (_distance ?? 1) : similarity(unit, vector.toArray());
    hits.push({ id, group, text, metadata: JSON.parse(metadata), score: scoreOf(cosine) });
    const numbers = vector === undefined ? 0 : unit.length;
    if (countSteps(stepsPerRow + metadata.length + numbers * stepsPerNumber)) yield;
  }
  return hits;
}

function similarity(unit: Float32Array, vector: Float32Array): number {
  const other = unitVector(vector);
  return other === undefined ? 0 : dotProduct(unit, other);
}

/** LanceDB can't cancel a search, so its place stays taken until it has ended, even if the caller has gone. */
async function gated<T>({ enter, query: { signal } }: Search, work: () => Promise<T>): Promise<T> {
  const leave = await enter(signal);
  if (signal.aborted) leave();
  return untilAborted(signal, () => work().finally(leave));
}
