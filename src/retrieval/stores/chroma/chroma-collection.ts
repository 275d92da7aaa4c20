import { batches } from "../../../kit/batches.ts";
import { matchesFilter } from "../filters/vector-filter.ts";
import { rowChunks } from "../http/row-chunks.ts";
import { SmallestIds } from "../http/smallest-ids.ts";
import type { StoreCall, StoreHttp } from "../http/store-http.ts";
import { searchAgain } from "../search-again.ts";
import { storeUnavailable } from "../store-failure.ts";
import { queryVector, requireSelection, selectsNothing, storedRows } from "../stored-row.ts";
import { dotProduct, scoreOf, unitVector } from "../unit-vector.ts";
import type { RowSelection, VectorBatch, VectorCollection, VectorHit, VectorQuery } from "../vector-store.ts";
import { chromaAnswers, chromaMetadata, readAnswer, rowOf } from "./chroma-answers.ts";
import { selectionWhere, visibleWhere, type Where } from "./chroma-where.ts";

export interface ChromaCollectionParts {
  http: StoreHttp;
  /** Returns the collection's id at the server, which creates it if it is missing. */
  identify(): Promise<string>;
}

const pageRows = 1000;

/** Larger limits use a scan of all rows. */
const queryRowsMax = 4096;

export class ChromaCollection implements VectorCollection {
  readonly dimension: number;
  readonly matching = undefined;
  readonly #parts: ChromaCollectionParts;
  #id: string | undefined;

  constructor(dimension: number, parts: ChromaCollectionParts) {
    this.dimension = dimension;
    this.#parts = parts;
  }

  /** Requests the collection's id from the server. */
  async identify(): Promise<string> {
    this.#id = await this.#parts.identify();
    return this.#id;
  }

  async add(batch: VectorBatch): Promise<void> {
    for (const rows of rowChunks(storedRows(batch, this.dimension))) {
      await this.#call({
        method: "POST",
        path: "/upsert",
        body: {
          ids: rows.map(({ id }) => id),
          embeddings: rows.map(({ vector }) => [...vector]),
          documents: rows.map(({ text }) => text),
          metadatas: rows.map(chromaMetadata),
        },
      });
    }
  }

  async nearest(query: VectorQuery): Promise<VectorHit[]> {
    const { filter, exceptWrites, limit, signal } = query;
    signal.throwIfAborted();
    const vector = queryVector(query.vector, this.dimension);
    if (limit < 1) return [];
    const where = visibleWhere(filter, exceptWrites);
    return searchAgain({
      limit: Math.floor(limit),
      passes: (hit) => filter === undefined || matchesFilter(hit.metadata, filter),
      quickly: (asked) =>
        asked > queryRowsMax ? Promise.resolve([]) : this.#query(vector, asked, where, signal),
      exactly: (asked) => this.#scan(vector, asked, where, signal),
    });
  }

  async remove(what: RowSelection): Promise<void> {
    requireSelection(what);
    if (selectsNothing(what)) return;
    const erase = (body: object) => this.#call({ method: "POST", path: "/delete", body });
    if (what.filter === undefined && what.ids === undefined) {
      await erase({ where: selectionWhere(what) });
      return;
    }
    const ids = await Array.fromAsync(this.#ids(what));
    for (const some of batches(ids, pageRows)) await erase({ ids: some });
  }

  async count(): Promise<number> {
    return readAnswer(chromaAnswers.count, await this.#call({ method: "GET", path: "/count" }));
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
      const page = await this.#get({ ids: some, include: ["metadatas", "documents"] });
      for (const [n, id] of page.ids.entries())
        rows.set(id, rowOf(id, page.metadatas?.[n], page.documents?.[n]));
    }
    return ids.flatMap((id) => rows.get(id) ?? []);
  }

  /** Ids of all rows of a selection, unsorted, because Chroma doesn't sort. */
  async *#ids(what: RowSelection): AsyncGenerator<string> {
    const { ids, filter } = what;
    const where = selectionWhere(what);
    const include = filter === undefined ? [] : ["metadatas"];
    for await (const page of ids ? this.#chosen(ids, where, include) : this.#pages(where, include)) {
      for (const [n, id] of page.ids.entries())
        if (!filter || matchesFilter(rowOf(id, page.metadatas?.[n], undefined).metadata, filter)) yield id;
    }
  }

  async *#chosen(ids: readonly string[], where: Where, include: readonly string[]) {
    for (const some of batches(ids, pageRows))
      yield await this.#get({ ids: some, include, ...(where && { where }) });
  }

  async *#pages(where: Where, include: readonly string[], signal?: AbortSignal) {
    for (let offset = 0, first: string | undefined; ; offset += pageRows) {
      const page = await this.#get({ limit: pageRows, offset, include, ...(where && { where }) }, signal);
      // A server that ignores the offset would never end.
      if (page.ids.length > 0 && page.ids[0] === first)
        throw storeUnavailable("Chroma answered the same page twice; see that a current version runs.");
      first = page.ids[0];
      yield page;
      if (page.ids.length < pageRows) return;
    }
  }

  async #query(vector: Float32Array, limit: number, where: Where, signal: AbortSignal): Promise<VectorHit[]> {
    const body = {
      query_embeddings: [[...vector]],
      n_results: limit,
      include: ["metadatas", "documents", "distances"],
      ...(where && { where }),
    };
    const answer = await this.#call({ method: "POST", path: "/query", body, signal });
    const { ids, metadatas, documents, distances } = readAnswer(chromaAnswers.hits, answer);
    return (ids[0] ?? []).map((id, at) => ({
      ...rowOf(id, metadatas?.[0]?.[at], documents?.[0]?.[at]),
      score: scoreOf(1 - (distances?.[0]?.[at] ?? 1)),
    }));
  }

  /** The best of all rows, without Chroma's index, which may find fewer than there are. */
  async #scan(vector: Float32Array, limit: number, where: Where, signal: AbortSignal): Promise<VectorHit[]> {
    let best: VectorHit[] = [];
    for await (const page of this.#pages(where, ["metadatas", "documents", "embeddings"], signal)) {
      const hits = page.ids.map((id, at) => ({
        ...rowOf(id, page.metadatas?.[at], page.documents?.[at]),
        score: scoreOf(cosine(page.embeddings?.[at], vector)),
      }));
      best = [...best, ...hits].sort((one, other) => other.score - one.score).slice(0, limit);
    }
    return best;
  }

  async #get(body: object, signal?: AbortSignal) {
    return readAnswer(chromaAnswers.rows, await this.#call({ method: "POST", path: "/get", body, signal }));
  }

  /** If the collection was dropped or lost by the server, it is created again. */
  async #call(call: StoreCall): Promise<unknown> {
    for (const id of [this.#id ?? (await this.identify()), undefined]) {
      const path = `/collections/${id ?? (await this.identify())}${call.path}`;
      const { status, body } = await this.#parts.http({ ...call, path, expects: [404] });
      if (status !== 404) return body;
    }
    throw storeUnavailable("Chroma loses the collection again and again; is another program deleting it?");
  }
}

function cosine(meaning: readonly number[] | undefined, vector: Float32Array): number {
  const unit = meaning && unitVector(Float32Array.from(meaning));
  return unit ? dotProduct(unit, vector) : 0;
}
