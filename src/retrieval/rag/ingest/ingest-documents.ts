import { obtainCollection, openHeld } from "../collections/open-collection.ts";
import type { RagPipeline } from "../rag-pipeline.ts";
import type { RagPorts } from "../rag-ports.ts";
import { requireSound } from "./cut-document.ts";
import type { CheckedDocument } from "./document-content.ts";
import { IngestRun } from "./ingest-run.ts";
import type { Ingest } from "./write-documents.ts";

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
