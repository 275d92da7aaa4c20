import { AppError } from "../../../kit/app-error.ts";
import type { Chunk, ChunkingSettings } from "../../chunking/chunker.ts";
import type { DocumentLoss } from "../../files/document-file.ts";
import { rowId, searchedText } from "../../stores/row-id.ts";
import type { VectorBatch, VectorCollection } from "../../stores/vector-store.ts";
import type { CollectionQuota } from "../collections/collection-quota.ts";
import type { Collection, Committed } from "../collections/collection-registry.ts";
import { rowsKey } from "../collections/open-collection.ts";
import type { RagPipeline } from "../rag-pipeline.ts";
import type { RagPorts } from "../rag-ports.ts";
import { removeDeadRows } from "../upkeep/remove-document.ts";
import type { Cut } from "./cut-document.ts";
import type { CheckedDocument } from "./document-content.ts";

/** Result for a document: it is now in the collection as received. */
export interface IngestedDocument {
  id: string;
  status: "created" | "replaced" | "unchanged";
  chunks: number;
  /** Length in code points. */
  characters: number;
  losses: readonly DocumentLoss[];
}

export interface Ingest {
  tenant: string;
  /** Name of the collection. */
  collection: string;
  /** Default: the pipeline's settings. */
  chunking?: ChunkingSettings | undefined;
  /** How much the tenant may keep; absent: as much as there is room for. */
  quota?: CollectionQuota | undefined;
  signal: AbortSignal;
  /** Called for each document as soon as it is stored, with its index in the list. */
  taken?: (index: number, document: IngestedDocument) => void;
  /** Called for each document that is refused; the others continue. If absent, the first refusal ends the ingest. */
  refused?: (index: number, id: string, error: AppError) => void;
}

/** A document with its chunks. */
export interface CutDocument extends Cut {
  document: CheckedDocument;
  chunking: string;
}

/** Target of a write. */
export interface WriteTarget {
  pipeline: RagPipeline;
  collection: Collection;
  rows: VectorCollection;
}

/** Rows embedded and added at once, which limits the memory for a document besides its text. */
const rowsAtOnce = 1024;

interface Row {
  document: CheckedDocument;
  chunk: Chunk;
  /** Index in the document. */
  index: number;
  /** Index in the write. */
  row: number;
}

/**
 * Makes the documents current, all or none: a pending write, its rows, and one transaction that makes it current. Until then nothing of it
 * is found, and a crash leaves only invisible rows.
 */
export async function writeDocuments(
  ports: RagPorts,
  { pipeline, collection, rows }: WriteTarget,
  cut: readonly CutDocument[],
  { signal, quota }: Pick<Ingest, "signal" | "quota">,
): Promise<Committed> {
  const { registry, held, newId } = ports;
  const key = { tenant: collection.tenant, collection: collection.id };
  const write = newId();
  await registry.beginWrite(key, write);
  try {
    // The next rows are embedded while the previous ones are added.
    let added: Promise<void> = Promise.resolve();
    for (const some of slices(cut)) {
      const batch = batchOf(some, write);
      const texts = batch.ids.map((id, at) => searchedText({ id, text: batch.texts[at] ?? "" }));
      const vectors = await settledWith(added, pipeline.embedder.embed(texts, "document", signal));
      requireLength(vectors, texts.length * collection.dimension, pipeline);
      added = rows.add({ ...batch, vectors });
      added.catch(() => undefined);
    }
    await added;
    signal.throwIfAborted();
    const committed = await registry.commitWrite(
      key,
      write,
      cut.map(({ document, chunks, characters, chunking }) => ({
        id: document.id,
        contentHash: document.contentHash,
        chunking,
        chunks: chunks.length,
        characters,
        metadata: document.metadata,
        losses: document.losses ?? null,
      })),
      quota,
    );
    held.wrote(rowsKey(collection.tenant, collection.vectors), write);
    return committed;
  } catch (thrown) {
    await discard(ports, { pipeline, collection, rows }, write, cut);
    throw thrown;
  }
}

/** Returns the result of `next` after `before` has succeeded. If both fail, throws the error of `before`. */
async function settledWith<T>(before: Promise<void>, next: Promise<T>): Promise<T> {
  next.catch(() => undefined);
  await before;
  return next;
}

function* slices(cut: readonly CutDocument[]): Generator<Row[]> {
  let some: Row[] = [];
  let row = 0;
  for (const { document, chunks } of cut) {
    for (const [index, chunk] of chunks.entries()) {
      some.push({ document, chunk, index, row: row++ });
      if (some.length < rowsAtOnce) continue;
      yield some;
      some = [];
    }
  }
  if (some.length > 0) yield some;
}

function batchOf(some: readonly Row[], write: string): Omit<VectorBatch, "vectors"> {
  return {
    ids: some.map(({ chunk: { start, end, page, section }, index, row }) =>
      rowId({ write, row, chunk: index, start, end, page, section }),
    ),
    groups: some.map(({ document }) => document.id),
    write,
    texts: some.map(({ chunk }) => chunk.text),
    metadata: some.map(({ document }) => document.metadata),
  };
}

function requireLength(vectors: Float32Array, expected: number, { embedder }: RagPipeline): void {
  if (vectors.length === expected) return;
  throw new AppError(
    "upstream_failed",
    "embedder_failed",
    `The embedder ${embedder.id} gave vectors of another length than before.`,
  );
}

/** Removes the rows of a failed write; the sweep removes those that can't be removed now. */
async function discard(
  { registry, log }: RagPorts,
  { pipeline, collection, rows }: WriteTarget,
  write: string,
  cut: readonly CutDocument[],
): Promise<void> {
  const key = { tenant: collection.tenant, collection: collection.id };
  try {
    const state = await registry.abandonWrite(collection, write, cut[0]?.document.id ?? "");
    if (state === "dead") await removeDeadRows(registry, key, rows, [{ write, documentId: "", chunks: 0 }]);
    if (state === "gone") await pipeline.store.drop(rowsKey(collection.tenant, collection.vectors));
  } catch (thrown) {
    log.warn("rag.leftovers", { collection: collection.name, err: thrown });
  }
}
