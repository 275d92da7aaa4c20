import type { VectorCollection, VectorHit } from "../stores/vector-store.ts";
import type { Collection } from "./collection-registry.ts";
import { openRows, requireStore, vectorsName } from "./open-collection.ts";
import type { RagPipeline } from "./rag-pipeline.ts";
import type { RagPorts } from "./rag-ports.ts";
import { readRowId } from "./row-id.ts";

/** Rows that are read, embedded and added at once. */
const rowsAtOnce = 512;

export interface Reindex {
  tenant: string;
  /** The collection's name. */
  collection: string;
  signal: AbortSignal;
  /** Told how many more chunks have got their new vectors. */
  made?: (chunks: number) => void;
}

type Row = Omit<VectorHit, "score">;

/**
 * Gives a collection vectors of the pipeline's embedder, made from the texts that it holds. Until all are there nothing
 * changes for those who search; nobody can write meanwhile. Throws AppError `collection_not_found` (404), `collection_busy`
 * or `collection_elsewhere` (409), or what embedder and store throw; then all is as before.
 */
export async function reindexCollection(
  { registry, newId }: RagPorts,
  pipeline: RagPipeline,
  { tenant, collection: name, signal, made }: Reindex,
): Promise<void> {
  const present = await registry.find(tenant, name);
  if (present !== undefined) requireStore(present, pipeline);
  const vectors = vectorsName(name, newId());
  const collection = await registry.beginReindex(tenant, name, vectors);
  const key = { tenant, collection: collection.id };
  try {
    const { embedder } = pipeline;
    const dimension = await embedder.dimension(signal);
    const rows = await openRows(pipeline, collection);
    const next = await openRows(pipeline, { tenant, vectors, dimension });
    for await (const some of currentRows(registry, collection, rows)) {
      signal.throwIfAborted();
      const texts = some.map(({ text }) => text);
      await addRows(next, some, await embedder.embed(texts, "document", signal), dimension);
      made?.(some.length);
    }
    await registry.finishReindex(key, { vectors, embedderId: embedder.id, dimension });
  } catch (thrown) {
    await registry.abandonReindex(key, vectors);
    throw thrown;
  }
}

/** The rows of current documents, page by page: nobody can change them now. */
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

/** A batch is of one write, and rows come in the order of theirs. */
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
