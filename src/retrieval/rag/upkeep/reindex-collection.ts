import { AppError } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { isElsewhere, missingRows } from "../../stores/held-vectors.ts";
import { readRowId, searchedText } from "../../stores/row-id.ts";
import type { VectorCollection, VectorHit } from "../../stores/vector-store.ts";
import type { Collection, CollectionKeyOf } from "../collections/collection-registry.ts";
import {
  heldCollection,
  openHeld,
  openRows,
  requireStore,
  rowsKey,
  vectorsName,
} from "../collections/open-collection.ts";
import type { RagPipeline } from "../rag-pipeline.ts";
import type { RagPorts } from "../rag-ports.ts";

/** Rows read, embedded and added at once. */
const rowsAtOnce = 512;
/** Documents compared with the found rows at once. */
const documentsAtOnce = 500;

export interface Reindex {
  tenant: string;
  /** Name of the collection. */
  collection: string;
  /** Removes documents whose texts are lost. Otherwise such a document ends the re-index without changes. */
  forgetLost?: boolean | undefined;
  signal: AbortSignal;
  /** Called with the number of further chunks that have new vectors. */
  made?: (chunks: number) => void;
  /** Called for each document that was removed. */
  forgotten?: (id: string) => void;
}

type Row = Omit<VectorHit, "score">;

/**
 * Gives a collection new vectors from the pipeline's embedder, made from the texts in its vector store. Until all are ready, searches use
 * the old ones; writes are blocked. Throws AppError `collection_not_found` (404), `collection_busy` or `collection_elsewhere` (409),
 * `vectors_elsewhere` (503) if texts are lost, or the errors of embedder and store; then nothing has changed.
 */
export async function reindexCollection(
  ports: RagPorts,
  pipeline: RagPipeline,
  { tenant, collection: name, forgetLost = false, signal, made, forgotten }: Reindex,
): Promise<void> {
  const { registry, held, newId } = ports;
  const present = await registry.find(tenant, name);
  if (present !== undefined) await requireTexts(ports, pipeline, present, forgetLost);
  const vectors = vectorsName(name, newId());
  const collection = await registry.beginReindex(tenant, name, vectors);
  const key = { tenant, collection: collection.id };
  const place = (await held.placeOf(pipeline.store))?.id ?? null;
  try {
    const { embedder } = pipeline;
    const dimension = await embedder.dimension(signal);
    const rows = await openRows(pipeline, collection);
    const next = await openRows(pipeline, { tenant, vectors, dimension });
    const counts = new Map<string, number>();
    for await (const some of currentRows(registry, collection, rows)) {
      signal.throwIfAborted();
      const texts = some.map(searchedText);
      await addRows(next, some, await embedder.embed(texts, "document", signal), dimension);
      for (const { group } of some) counts.set(group, (counts.get(group) ?? 0) + 1);
      made?.(some.length);
    }
    const lost = await lostDocuments(registry, key, counts);
    if (lost.length > 0 && !forgetLost) throw textsGone(name, `the texts of ${lost.length} documents`);
    for (const id of lost) if (counts.has(id)) await next.remove({ group: id });
    await registry.finishReindex(key, { vectors, place, embedderId: embedder.id, dimension, lost });
    for (const id of lost) forgotten?.(id);
  } catch (thrown) {
    const state = await registry.abandonReindex({ ...collection, vectors, place });
    if (state === "gone") await dropLeft(ports, pipeline, { tenant, vectors, name });
    throw thrown;
  }
  // The sweep drops old vectors in the recorded place, which is not this one.
  if (collection.place !== null && collection.place !== place)
    await pipeline.store.drop(rowsKey(tenant, collection.vectors));
}

/** Drops the new vectors of a collection that was deleted; the sweep drops them if that fails now. */
async function dropLeft(
  { log }: RagPorts,
  { store }: RagPipeline,
  { tenant, vectors, name }: { tenant: string; vectors: string; name: string },
): Promise<void> {
  await store
    .drop(rowsKey(tenant, vectors))
    .catch((err) => log.warn("rag.leftovers", { collection: name, err }));
}

/**
 * Throws AppError `collection_elsewhere` (409), or `vectors_elsewhere` (503) unless all texts of the collection are in the pipeline's
 * store, which may be the recorded place or a copy.
 */
export async function requireTexts(
  ports: Pick<RagPorts, "registry" | "held">,
  pipeline: RagPipeline,
  collection: Collection,
  forgetLost: boolean,
): Promise<void> {
  requireStore(collection, pipeline);
  if (forgetLost) return;
  const fault = await openHeld(ports, pipeline, collection, true).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (fault === undefined) return;
  if (!isElsewhere(fault)) throw fault;
  const now = await heldCollection(ports.registry, pipeline, collection).read();
  const rows = await openRows(pipeline, collection);
  const missing = now && (await missingRows(rows, now));
  if (missing === undefined) return;
  // Leaves nothing behind for a collection in another store.
  if ((await rows.count()) === 0) await pipeline.store.drop(rowsKey(collection.tenant, collection.vectors));
  throw textsGone(collection.name, missing);
}

/** 503: texts needed for new vectors are missing. */
function textsGone(name: string, missing: string): AppError {
  return new AppError(
    "unavailable",
    "vectors_elsewhere",
    `Collection ${name} can't be re-indexed, and is as before, since its texts are not all here: ${missing}. Restore the vectors that belong to this database. If they are lost, argosy rag reindex ${name} --forget-lost keeps the texts that are here and forgets the other documents, so that they can be ingested again.`,
  );
}

/** Documents with missing chunks. */
async function lostDocuments(
  registry: RagPorts["registry"],
  key: CollectionKeyOf,
  found: ReadonlyMap<string, number>,
): Promise<string[]> {
  const lost: string[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await registry.listDocuments(key, { after, limit: documentsAtOnce });
    for (const { id, chunks } of page) if ((found.get(id) ?? 0) < chunks) lost.push(id);
    if (page.length < documentsAtOnce) return lost;
    after = page.at(-1)?.id;
    await othersTurn();
  }
}

/** Rows of current documents, page by page. They can't change now, because writes are blocked. */
async function* currentRows(
  registry: RagPorts["registry"],
  { tenant, id }: Collection,
  rows: VectorCollection,
): AsyncGenerator<Row[]> {
  let after: string | undefined;
  for (;;) {
    const page: Row[] = await rows.list({}, { limit: rowsAtOnce, ...(after !== undefined && { after }) });
    const groups = [...new Set(page.map(({ group }) => group))];
    const current = await registry.currentWrites({ tenant, collection: id }, groups);
    const some = page.filter((row) => current.get(row.group) === readRowId(row.id).write);
    if (some.length > 0) yield some;
    if (page.length < rowsAtOnce) return;
    after = page.at(-1)?.id;
  }
}

/** Adds one batch per write, because a batch belongs to one write. */
async function addRows(
  next: VectorCollection,
  some: readonly Row[],
  vectors: Float32Array,
  dimension: number,
): Promise<void> {
  const indexed = some.map((row, index) => ({ row, index }));
  for (const [write, group] of Map.groupBy(indexed, ({ row }) => readRowId(row.id).write)) {
    const from = group[0]?.index ?? 0;
    await next.add({
      ids: group.map(({ row }) => row.id),
      groups: group.map(({ row }) => row.group),
      write,
      texts: group.map(({ row }) => row.text),
      metadata: group.map(({ row }) => row.metadata),
      vectors: vectors.subarray(from * dimension, (from + group.length) * dimension),
    });
  }
}
