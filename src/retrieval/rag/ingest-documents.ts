import type { AppError } from "../../kit/app-error.ts";
import type { ChunkingSettings } from "../chunking/chunker.ts";
import type { CollectionQuota } from "./collection-quota.ts";
import { requireSound } from "./cut-document.ts";
import type { CheckedDocument } from "./document-content.ts";
import { IngestRun } from "./ingest-run.ts";
import { obtainCollection, openHeld } from "./open-collection.ts";
import type { RagPipeline } from "./rag-pipeline.ts";
import type { RagPorts } from "./rag-ports.ts";

/** What became of a document: it is in the collection as it was given. */
export interface IngestedDocument {
  id: string;
  status: "created" | "replaced" | "unchanged";
  chunks: number;
  /** Code points. */
  characters: number;
}

export interface Ingest {
  tenant: string;
  /** The collection's name. */
  collection: string;
  /** The pipeline's own unless given. */
  chunking?: ChunkingSettings | undefined;
  /** How much the tenant may keep; absent: as much as there is room for. */
  quota?: CollectionQuota | undefined;
  signal: AbortSignal;
  /** Told of each document as soon as it counts, by its place in the list. */
  taken?: (index: number, document: IngestedDocument) => void;
  /** Told of each document that can't be taken, and the others go on; absent: the first such ends it all. */
  refused?: (index: number, id: string, error: AppError) => void;
}

/**
 * Takes documents into a collection, each whole or not at all; what it tells of is on disk. A document whose id is there is
 * replaced, one that is there as it is is left alone, so that an ingest which ended early may be repeated. Of two with one
 * id the later stays.
 */
export async function ingestDocuments(
  ports: RagPorts,
  pipeline: RagPipeline,
  documents: readonly CheckedDocument[],
  ingest: Ingest,
): Promise<void> {
  const { newId } = ports;
  const { tenant, collection: name, signal, quota } = ingest;
  requireSound(ingest.chunking ?? pipeline.chunking);
  const collection = await obtainCollection(ports, pipeline, { tenant, name, newId, signal, quota });
  const rows = await openHeld(ports, pipeline, collection);
  const run = new IngestRun(ports, { pipeline, collection, rows }, ingest);
  try {
    for (const [index, document] of documents.entries()) await run.add(index, document);
    await run.flush();
  } finally {
    await run.end();
  }
}
