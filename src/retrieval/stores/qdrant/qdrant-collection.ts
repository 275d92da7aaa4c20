import { batches } from "../../../kit/batches.ts";
import { matchesFilter } from "../filters/vector-filter.ts";
import { rowChunks } from "../http/row-chunks.ts";
import { SmallestIds } from "../http/smallest-ids.ts";
import type { StoreCall, StoreHttp } from "../http/store-http.ts";
import { searchedText } from "../row-id.ts";
import { searchAgain } from "../search-again.ts";
import { storeUnavailable } from "../store-failure.ts";
import { queryVector, requireSelection, selectsNothing, storedRows } from "../stored-row.ts";
import { dotProduct, scoreOf, unitVector } from "../unit-vector.ts";
import type { RowSelection, VectorBatch, VectorCollection, VectorHit, VectorQuery } from "../vector-store.ts";
import { questionWords, textWords } from "../words/search-words.ts";
import { type QdrantHit, qdrantAnswers, resultOf } from "./qdrant-answers.ts";
import { comparedFields, selectedPoints, visiblePoints } from "./qdrant-filter.ts";
import { askedWords, pointId, pointOf } from "./qdrant-point.ts";
import { makeIndex } from "./qdrant-shape.ts";

export interface QdrantCollectionParts {
  http: StoreHttp;
  path: string;
  /** Creates the collection if it is missing. */
  ensure(): Promise<void>;
}

const pageRows = 1000;
const payloadFields = ["id", "group", "text", "metadata"];

export class QdrantCollection implements VectorCollection {
  readonly dimension: number;
  readonly #parts: QdrantCollectionParts;
  /** Number fields that already have an index. */
  readonly #indexed = new Set<string>();

  constructor(dimension: number, parts: QdrantCollectionParts) {
    this.dimension = dimension;
    this.#parts = parts;
  }

  async add(batch: VectorBatch): Promise<void> {
    for (const chunk of rowChunks(storedRows(batch, this.dimension))) {
      const points = chunk.map(pointOf);
      const call = { method: "PUT", path: "/points?wait=true", body: { points } } as const;
      if ((await this.#call(call)) !== undefined) continue;
      await this.#parts.ensure();
      await this.#call(call);
    }
  }

  async nearest(query: VectorQuery): Promise<VectorHit[]> {
    const vector = queryVector(query.vector, this.dimension);
    return this.#search(query, async (limit, isExact) => {
      const ask = { query: [...vector], using: "meaning", ...(isExact && { params: { exact: true } }) };
      const points = await this.#query(query, limit, ask);
      return points.map((point) => hitOf(point, point.score));
    });
  }

  async matching(query: VectorQuery & { text: string }): Promise<VectorHit[]> {
    const vector = queryVector(query.vector, this.dimension);
    const words = questionWords(query.text);
    query.signal.throwIfAborted();
    if (words.size === 0) return [];
    // Two words may have the same number.
    const sharesWord = (hit: VectorHit) =>
      textWords(searchedText(hit))
        .keys()
        .some((word) => words.has(word));
    return this.#search(
      query,
      async (limit) => {
        const ask = { query: askedWords(words), using: "words", with_vector: ["meaning"] };
        const points = await this.#query(query, limit, ask);
        return points.map((point) => hitOf(point, cosine(point.vector?.meaning, vector)));
      },
      sharesWord,
    );
  }

  async remove(what: RowSelection): Promise<void> {
    requireSelection(what);
    if (selectsNothing(what)) return;
    const erase = (body: object) => this.#call({ method: "POST", path: "/points/delete?wait=true", body });
    if (what.filter === undefined) {
      await erase({ filter: selectedPoints(what) });
      return;
    }
    const ids: string[] = [];
    for await (const id of this.#ids(what)) ids.push(id);
    for (const some of batches(ids, pageRows)) await erase({ points: some.map(pointId) });
  }

  async count(): Promise<number> {
    const body = await this.#call({ method: "POST", path: "/points/count", body: { exact: true } });
    return body === undefined ? 0 : resultOf(qdrantAnswers.count, body).count;
  }

  async list(
    what: RowSelection,
    { after, limit }: { after?: string; limit: number },
  ): Promise<Omit<VectorHit, "score">[]> {
    if (selectsNothing(what) || limit < 1) return [];
    const smallest = new SmallestIds(limit, after);
    for await (const id of this.#ids(what)) smallest.add(id);
    const rows = new Map<string, Omit<VectorHit, "score">>();
    const ids = smallest.sorted();
    for (const some of batches(ids, pageRows)) {
      const filter = selectedPoints({ ids: some });
      const body = { filter, limit: pageRows, with_payload: payloadFields, with_vector: false };
      const answer = await this.#call({ method: "POST", path: "/points/scroll", body });
      if (answer === undefined) return [];
      for (const { payload } of resultOf(qdrantAnswers.rows, answer).points)
        rows.set(payload.id, { ...payload, metadata: JSON.parse(payload.metadata) });
    }
    return ids.flatMap((id) => rows.get(id) ?? []);
  }

  /** Ids of all rows of a selection, unsorted, because Qdrant sorts by numbers only. */
  async *#ids(what: RowSelection): AsyncGenerator<string> {
    await this.#index(comparedFields(what.filter));
    const filter = selectedPoints(what);
    const fields = what.filter === undefined ? ["id"] : ["id", "metadata"];
    for (let offset: string | number | null | undefined; offset !== null; ) {
      const body = { filter, limit: pageRows, offset, with_payload: fields, with_vector: false };
      const answer = await this.#call({ method: "POST", path: "/points/scroll", body });
      if (answer === undefined) return;
      const page = resultOf(qdrantAnswers.ids, answer);
      for (const { payload } of page.points)
        if (!what.filter || matchesFilter(JSON.parse(payload.metadata ?? "{}"), what.filter))
          yield payload.id;
      const next = page.next_page_offset ?? null;
      if (next !== null && next === offset)
        throw storeUnavailable("Qdrant answered the same page twice; see that a current version runs.");
      offset = next;
    }
  }

  async #search(
    query: VectorQuery,
    ask: (limit: number, isExact: boolean) => Promise<VectorHit[]>,
    sharesWord?: (hit: VectorHit) => boolean,
  ): Promise<VectorHit[]> {
    const { filter, limit, signal } = query;
    signal.throwIfAborted();
    if (limit < 1) return [];
    await this.#index(comparedFields(filter));
    return searchAgain({
      limit: Math.floor(limit),
      passes: (hit) =>
        (sharesWord?.(hit) ?? true) && (filter === undefined || matchesFilter(hit.metadata, filter)),
      quickly: (asked) => ask(asked, false),
      // Searches by words are exact.
      ...(!sharesWord && { exactly: (asked) => ask(asked, true) }),
    });
  }

  async #query(query: VectorQuery, limit: number, ask: object): Promise<QdrantHit[]> {
    const filter = visiblePoints(query.filter, query.exceptWrites);
    const body = { ...ask, ...(filter && { filter }), limit, with_payload: payloadFields };
    const answer = await this.#call({ method: "POST", path: "/points/query", body, signal: query.signal });
    return answer === undefined ? [] : resultOf(qdrantAnswers.hits, answer).points;
  }

  async #index(fields: readonly string[]): Promise<void> {
    const { http, path } = this.#parts;
    for (const field of fields) {
      if (this.#indexed.has(field)) continue;
      await makeIndex(http, path, field, "integer");
      this.#indexed.add(field);
    }
  }

  /** Returns the answer's body; undefined if the collection does not exist. */
  async #call(call: StoreCall): Promise<unknown> {
    const { http, path } = this.#parts;
    const { status, body } = await http({ ...call, path: path + call.path, expects: [404] });
    return status === 404 ? undefined : body;
  }
}

function hitOf({ payload: { id, group, text, metadata } }: QdrantHit, similarity: number): VectorHit {
  return { id, group, text, metadata: JSON.parse(metadata), score: scoreOf(similarity) };
}

function cosine(meaning: readonly number[] | undefined, vector: Float32Array): number {
  const unit = meaning && unitVector(Float32Array.from(meaning));
  return unit ? dotProduct(unit, vector) : 0;
}
