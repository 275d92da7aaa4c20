import type { CollectionDeleted, CollectionView, JobAccepted } from "../../../contracts/daemon/rag.ts";
import type { Collection, CollectionSize } from "../../../retrieval/rag/collection-registry.ts";
import { requireStore, rowsKey } from "../../../retrieval/rag/open-collection.ts";
import { reindexCollection } from "../../../retrieval/rag/reindex-collection.ts";
import { collectionNotFound } from "../../../retrieval/rag/remove-document.ts";
import { type DaemonRag, pipelineFor } from "./daemon-rag.ts";

type Sized = Collection & CollectionSize;

/** Every collection of the tenant, by name. */
export async function listCollections(rag: DaemonRag, tenant: string): Promise<CollectionView[]> {
  const collections = await rag.ports.registry.list(tenant);
  return collections.map((collection) => present(rag, collection));
}

/** One of them, or `collection_not_found`. */
export async function getCollection(rag: DaemonRag, tenant: string, name: string): Promise<CollectionView> {
  return present(rag, await sized(rag, tenant, name));
}

/** Deletes a collection: nobody finds anything in it any more when this resolves. */
export async function deleteCollection(
  rag: DaemonRag,
  tenant: string,
  name: string,
): Promise<CollectionDeleted> {
  const { registry, log } = rag.ports;
  const removed = await registry.remove(tenant, name);
  if (removed === undefined) throw collectionNotFound(name);
  try {
    await rag.storeById(removed.storeId)?.drop(rowsKey(tenant, removed.vectors));
  } catch (thrown) {
    // Nobody can reach the vectors; the sweep drops them.
    log.warn("rag.leftovers", { collection: name, err: thrown });
  }
  return { status: "deleted", collection: name, documents: removed.documents };
}

/** Begins to make a collection's vectors anew. */
export async function reindexLater(
  rag: DaemonRag,
  tenant: string,
  name: string,
  pipelineName: string | undefined,
): Promise<JobAccepted> {
  const collection = await sized(rag, tenant, name);
  const pipeline = pipelineFor(rag, { tenant, collection: name, pipeline: pipelineName });
  requireStore(collection, pipeline);
  const order = { kind: "reindex" as const, collection: name, documentsTotal: collection.documents };
  const id = await rag.jobs.start(tenant, order, async (report, signal) => {
    await reindexCollection(rag.ports, pipeline, {
      tenant,
      collection: name,
      signal,
      made: (chunks) => report.made(chunks),
    });
    report.finished();
  });
  return { job_id: id, status: "queued" };
}

async function sized({ ports: { registry } }: DaemonRag, tenant: string, name: string): Promise<Sized> {
  const found = (await registry.list(tenant, name))[0];
  if (found === undefined) throw collectionNotFound(name);
  return found;
}

function present(rag: DaemonRag, collection: Sized): CollectionView {
  const { name, backend, embedderId, dimension, documents, chunks, createdAt } = collection;
  const fillers = rag.pipelines.fillersOf(name);
  return {
    name,
    backend,
    embedder: embedderId,
    dimension,
    documents,
    chunks,
    pipelines: fillers.map((filler) => filler.name),
    status: statusOf(rag, collection),
    created_at: createdAt.toISOString(),
  };
}

function statusOf(
  rag: DaemonRag,
  { tenant, name, embedderId, isReindexing }: Sized,
): CollectionView["status"] {
  if (isReindexing) return "reindexing";
  const isRunnable = rag.pipelines.fillersOf(name).every(({ version }) => version !== undefined);
  if (!isRunnable) return "ready";
  return pipelineFor(rag, { tenant, collection: name }).embedder.id === embedderId
    ? "ready"
    : "reindex_needed";
}
