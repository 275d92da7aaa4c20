import { AppError } from "../../../kit/app-error.ts";
import type { VectorCollection } from "../../stores/vector-store.ts";
import type { CollectionKeyOf, CollectionRegistry, DeadRows } from "../collections/collection-registry.ts";
import { openHeld, requireStore } from "../collections/open-collection.ts";
import type { RagPipeline } from "../rag-pipeline.ts";
import type { RagPorts } from "../rag-ports.ts";

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

/**
 * Removes dead rows from the vector store, then forgets them; may be repeated. Removing many rows at once costs a store no more than
 * removing one document, so writes without documents are removed as a whole.
 */
export async function removeDeadRows(
  registry: CollectionRegistry,
  key: CollectionKeyOf,
  rows: VectorCollection,
  dead: readonly DeadRows[],
): Promise<void> {
  if (dead.length === 0) return;
  const shared = new Set(dead.filter(({ documentId }) => documentId !== "").map(({ write }) => write));
  const whole = new Set(dead.filter(({ documentId }) => documentId === "").map(({ write }) => write));
  for (const write of await registry.emptied(key, [...shared])) whole.add(write);
  if (whole.size > 0) await rows.remove({ writes: [...whole] });
  for (const { write, documentId } of dead) {
    if (!whole.has(write)) await rows.remove({ group: documentId, writes: [write] });
  }
  await registry.forgetDead(key, dead);
}
