import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { compareTexts } from "../compare-texts.ts";
import { matchesFilter } from "../filters/vector-filter.ts";
import { searchedText } from "../row-id.ts";
import { queryVector, requireSelection, type StoredRow, storedRows } from "../stored-row.ts";
import { dotProduct, scoreOf } from "../unit-vector.ts";
import type { RowSelection, VectorBatch, VectorCollection, VectorHit, VectorQuery } from "../vector-store.ts";
import type { WordIndex } from "./word-index.ts";

/** Rows of a collection. */
export interface MemoryRows {
  dimension: number;
  byId: Map<string, StoredRow>;
  words: WordIndex;
}

/** A collection's access to its store. */
export interface MemoryVectorPlace {
  /** Returns the rows; undefined if the collection was dropped. */
  find(): MemoryRows | undefined;
  /** Returns the rows, and creates them if they are missing. */
  ensure(): MemoryRows;
  /** Throws AppError `vectors_unavailable` if the additional bytes exceed the limit. */
  take(bytes: number): void;
  give(bytes: number): void;
}

/** Rows that a search compares before it yields to other work: about 2 ms with 384 dimensions. */
const rowsPerTurn = 4096;

/** Rows in this process's memory; a search compares all of them. */
export class MemoryCollection implements VectorCollection {
  readonly dimension: number;
  readonly #place: MemoryVectorPlace;

  constructor(dimension: number, place: MemoryVectorPlace) {
    this.dimension = dimension;
    this.#place = place;
  }

  async add(batch: VectorBatch): Promise<void> {
    const rows = storedRows(batch, this.dimension);
    const { byId, words } = this.#place.ensure();
    const replaced = rows.flatMap(({ id }) => byId.get(id) ?? []);
    this.#place.take(sizeOf(rows) - sizeOf(replaced));
    for (const row of rows) {
      // A copy, so that later changes by the caller have no effect.
      byId.set(row.id, { ...row, metadata: structuredClone(row.metadata) });
      words.set(row.id, searchedText(row));
    }
  }

  async nearest(query: VectorQuery): Promise<VectorHit[]> {
    query.signal.throwIfAborted();
    const vector = queryVector(query.vector, this.dimension);
    const passes = passing(query);
    const found: VectorHit[] = [];
    let seen = 0;
    for (const row of [...(this.#place.find()?.byId.values() ?? [])]) {
      if (++seen % rowsPerTurn === 0) {
        await othersTurn();
        query.signal.throwIfAborted();
      }
      if (passes(row)) found.push(hitOf(row, vector));
    }
    return found.sort(bestFirst).slice(0, Math.max(0, query.limit)).map(own);
  }

  async matching(query: VectorQuery & { text: string }): Promise<VectorHit[]> {
    query.signal.throwIfAborted();
    const vector = queryVector(query.vector, this.dimension);
    const passes = passing(query);
    const rows = this.#place.find();
    const found: VectorHit[] = [];
    for (const id of rows?.words.search(query.text) ?? []) {
      if (found.length >= query.limit) break;
      const row = rows?.byId.get(id);
      if (row && passes(row)) found.push(own(hitOf(row, vector)));
    }
    return found;
  }

  async remove(what: RowSelection): Promise<void> {
    requireSelection(what);
    const rows = this.#place.find();
    for (const row of this.#selected(what)) {
      rows?.byId.delete(row.id);
      rows?.words.delete(row.id);
      this.#place.give(sizeOf([row]));
    }
  }

  async count(): Promise<number> {
    return this.#place.find()?.byId.size ?? 0;
  }

  async list(
    what: RowSelection,
    page: { after?: string; limit: number },
  ): Promise<Omit<VectorHit, "score">[]> {
    const { after, limit } = page;
    return this.#selected(what)
      .filter(({ id }) => after === undefined || compareTexts(id, after) > 0)
      .sort((one, other) => compareTexts(one.id, other.id))
      .slice(0, Math.max(0, limit))
      .map(({ id, group, text, metadata }) => ({ id, group, text, metadata: structuredClone(metadata) }));
  }

  #selected({ ids, group, writes, filter }: RowSelection): StoredRow[] {
    const all = this.#place.find()?.byId ?? new Map<string, StoredRow>();
    const rows = ids === undefined ? [...all.values()] : [...new Set(ids)].flatMap((id) => all.get(id) ?? []);
    return rows.filter(
      (row) =>
        (group === undefined || row.group === group) &&
        (writes === undefined || writes.includes(row.write)) &&
        (filter === undefined || matchesFilter(row.metadata, filter)),
    );
  }
}

function passing({ filter, exceptWrites = [] }: VectorQuery): (row: StoredRow) => boolean {
  const except = new Set(exceptWrites);
  return ({ write, metadata }) =>
    !except.has(write) && (filter === undefined || matchesFilter(metadata, filter));
}

const hitOf = ({ id, group, text, metadata, vector }: StoredRow, sought: Float32Array): VectorHit => ({
  id,
  group,
  text,
  metadata,
  score: scoreOf(dotProduct(vector, sought)),
});

const own = (hit: VectorHit): VectorHit => ({ ...hit, metadata: structuredClone(hit.metadata) });

const bestFirst = (one: VectorHit, other: VectorHit) =>
  other.score - one.score || compareTexts(one.id, other.id);

/** Approximate size of rows; texts are stored a second time as words. */
export function sizeOf(rows: Iterable<StoredRow>): number {
  let bytes = 0;
  for (const { id, group, text, metadata, vector } of rows)
    bytes +=
      vector.byteLength +
      6 * text.length +
      2 * (id.length + group.length) +
      2 * JSON.stringify(metadata).length +
      256;
  return bytes;
}
