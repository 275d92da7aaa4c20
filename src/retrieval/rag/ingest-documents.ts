import type { AppError } from "../../kit/app-error.ts";
import type { ChunkingSettings } from "../chunking/chunker.ts";
import { requireSound } from "./cut-document.ts";
import type { CheckedDocument } from "./document-content.ts";
import { IngestRun } from "./ingest-run.ts";
import { obtainCollection, openHeld } from "./open-collection.ts";
import type { RagPipeline } from "./rag-pipeline.ts";
import type { RagPorts } from "./rag-ports.ts";

/** Result for a document: it is now in the collection as received. */
export interface IngestedDocument {
  id: string;
  status: "created" | "replaced" | "unchanged";
  chunks: number;
  /** Length in code points. */
  characters: number;
}

export interface Ingest {
  tenant: string;
  /** Name of the collection. */
  collection: string;
  /** Default: the pipeline's settings. */
  chunking?: ChunkingSettings | undefined;
  signal: AbortSignal;
  /** Called for each document as soon as it is stored, with its index in the list. */
  taken?: (index: number, document: IngestedDocument) => void;
  /** Called for each document that is refused; the others continue. If absent, the first refusal ends the ingest. */
  refused?: (index: number, id: string, error: AppError) => void;
}

/**
 * Adds documents to a collection, each atomically; reported documents are stored durably. A document with an existing id is replaced; an
 * unchanged one is skipped, so that an interrupted ingest can be repeated. If two have the same id, the later one is kept.
 */
export async function ingestDocuments(
  ports: RagPorts,
  pipeline: RagPipeline,
  documents: readonly CheckedDocument[],
  ingest: Ingest,
): Promise<void> {
  const { newId } = ports;
  const { tenant, collection: name, signal } = ingest;
  requireSound(ingest.chunking ?? pipeline.chunking);
  const collection = await obtainCollection(ports, pipeline, { tenant, name, newId, signal });
  const rows = await openHeld(ports, pipeline, collection);
  const run = new IngestRun(ports, { pipeline, collection, rows }, ingest);
  try {
    for (const [index, document] of documents.entries()) await run.add(index, document);
    await run.flush();
  } finally {
    await run.end();
  }
}
