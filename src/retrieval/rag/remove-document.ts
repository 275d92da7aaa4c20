import { AppError } from "../../kit/app-error.ts";
import { openHeld, requireStore } from "./open-collection.ts";
import type { RagPipeline } from "./rag-pipeline.ts";
import type { RagPorts } from "./rag-ports.ts";
import { removeDeadRows } from "./remove-dead-rows.ts";

/**
 * Removes a document, which can't be found any more once this resolves. Throws AppError `collection_not_found`, `document_not_found` (404),
 * `collection_elsewhere` or `collection_busy` (409).
 */
export async function removeDocument(
  ports: Pick<RagPorts, "registry" | "held" | "log">,
  pipeline: RagPipeline,
  { tenant, collection: name, id }: { tenant: string; collection: string; id: string },
): Promise<void> {
  const { registry, log } = ports;
  const collection = await registry.find(tenant, name);
  if (collection === undefined) throw collectionNotFound(name);
  requireStore(collection, pipeline);
  const rows = await openHeld(ports, pipeline, collection);
  const key = { tenant, collection: collection.id };
  const dead = await registry.removeDocument(key, id);
  if (dead === undefined) throw documentNotFound(name, id);
  try {
    await removeDeadRows(registry, key, rows, [dead]);
  } catch (thrown) {
    // The rows are invisible; the sweep removes them.
    log.warn("rag.leftovers", { collection: name, err: thrown });
  }
}

/** 404 for a collection that does not exist. */
export function collectionNotFound(name: string): AppError {
  return new AppError(
    "not_found",
    "collection_not_found",
    `There is no collection named ${JSON.stringify(name)}.`,
    { details: { hint: "POST /v1/rag/ingest makes it with its first document." } },
  );
}

/** 404 for a document that is not in its collection. */
export function documentNotFound(collection: string, id: string): AppError {
  const message = `Collection ${collection} has no document ${JSON.stringify(id)}.`;
  return new AppError("not_found", "document_not_found", message);
}
