import type {
  CollectionDeleted,
  CollectionView,
  JobAccepted,
  ReindexRequest,
} from "../../../../contracts/daemon/rag/rag.ts";
import { AppError, toAppError } from "../../../../kit/app-error.ts";
import { untilAborted } from "../../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../../kit/deadline.ts";
import type {
  Collection,
  CollectionSize,
} from "../../../../retrieval/rag/collections/collection-registry.ts";
import { heldCollection, openHeld, rowsKey } from "../../../../retrieval/rag/collections/open-collection.ts";
import { reindexCollection, requireTexts } from "../../../../retrieval/rag/upkeep/reindex-collection.ts";
import { collectionNotFound } from "../../../../retrieval/rag/upkeep/remove-document.ts";
import { isElsewhere } from "../../../../retrieval/stores/held-vectors.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { type DaemonRag, pipelineAsked, pipelineFor } from "../daemon-rag.ts";

type Sized = Collection & CollectionSize;

/** Collections of the tenant, by name. */
export async function listCollections(rag: DaemonRag, tenant: string): Promise<CollectionView[]> {
  const collections = await rag.ports.registry.list(tenant);
  return Promise.all(collections.map((collection) => present(rag, collection)));
}

/** Returns a collection, or throws `collection_not_found`. */
export async function getCollection(rag: DaemonRag, tenant: string, name: string): Promise<CollectionView> {
  return present(rag, await sized(rag, tenant, name));
}

/** Deletes a collection. After it resolves, no search finds the collection's documents. */
export async function deleteCollection(
  rag: DaemonRag,
  tenant: string,
  name: string,
): Promise<CollectionDeleted> {
  const { registry, log } = rag.ports;
  await requirePlace(rag, tenant, name);
  const removed = await registry.remove(tenant, name);
  if (removed === undefined) throw collectionNotFound(name);
  try {
    await rag.storeById(removed.storeId)?.drop(rowsKey(tenant, removed.vectors));
  } catch (thrown) {
    // The vectors can't be reached any more; the sweep drops them.
    log.warn("rag.leftovers", { collection: name, err: thrown });
  }
  return { status: "deleted", collection: name, documents: removed.documents };
}

/** Throws `vectors_elsewhere` unless the vectors are in this place. Otherwise texts would stay in a place that is no longer in use. */
async function requirePlace({ ports, storeById }: DaemonRag, tenant: string, name: string): Promise<void> {
  const { registry, held } = ports;
  const collection = await registry.find(tenant, name);
  if (collection === undefined) return;
  const store = storeById(collection.storeId);
  if (store === undefined) return;
  await held.requirePlace(heldCollection(registry, { store }, collection)).catch((thrown) => {
    // If the store is down, the sweep removes the vectors when it is back.
    if (isElsewhere(thrown)) throw thrown;
  });
}

/** Starts a job that rebuilds a collection's vectors. */
export async function reindexLater(
  rag: DaemonRag,
  tenant: string,
  name: string,
  { pipeline: pipelineName, forget_lost: forgetLost = false }: ReindexRequest,
): Promise<JobAccepted> {
  const collection = await sized(rag, tenant, name);
  const pipeline = await pipelineAsked(rag, { tenant, collection: name, pipeline: pipelineName });
  await requireTexts(rag.ports, pipeline, collection, forgetLost);
  const order = { kind: "reindex" as const, collection: name, documentsTotal: collection.documents };
  const id = await rag.jobs.start(tenant, order, async (report, signal) => {
    await reindexCollection(rag.ports, pipeline, {
      tenant,
      collection: name,
      forgetLost,
      signal,
      made: (chunks) => report.made(chunks),
      forgotten: (id) => report.refused(0, id, textLost(id)),
    });
    report.finished();
  });
  return { job_id: id, status: "queued" };
}

const textLost = (id: string) =>
  new AppError(
    "not_found",
    "text_lost",
    `The text of ${id} is missing, so the document was deleted. Ingest it again.`,
  );

async function sized({ ports: { registry } }: DaemonRag, tenant: string, name: string): Promise<Sized> {
  const collection = (await registry.list(tenant, name))[0];
  if (collection === undefined) throw collectionNotFound(name);
  return collection;
}

async function present(rag: DaemonRag, collection: Sized): Promise<CollectionView> {
  const { name, backend, embedderId, dimension, documents, chunks, createdAt } = collection;
  const fillers = fillersOf(rag, collection);
  return {
    name,
    backend,
    embedder: embedderId,
    dimension,
    documents,
    chunks,
    pipelines: fillers.map((filler) => filler.name),
    status: (await isAway(rag, collection)) ? "vectors_elsewhere" : statusOf(rag, collection),
    created_at: createdAt.toISOString(),
  };
}

/** The pipelines that fill a collection: files belong to the operator, and so do the collections that they name. */
const fillersOf = ({ pipelines }: DaemonRag, { tenant, name }: Pick<Sized, "tenant" | "name">) =>
  tenant === operatorTenant ? pipelines.fillersOf(name) : [];

/** Returns true if the vectors are known to be elsewhere; a store that doesn't respond in time counts as unknown. */
async function isAway({ ports, storeById }: DaemonRag, collection: Sized): Promise<boolean> {
  const store = storeById(collection.storeId);
  if (store === undefined) return false;
  const patience = startDeadline(ports.clock, lookMsMax, noAnswer);
  try {
    await untilAborted(patience.signal, () => openHeld(ports, { store }, collection));
    return false;
  } catch (thrown) {
    return isElsewhere(thrown);
  } finally {
    patience.dispose();
  }
}

const lookMsMax = 2000;

const noAnswer = () => new AppError("unavailable", "vectors_unavailable", "There was no answer in time.");

function statusOf(
  rag: DaemonRag,
  { tenant, name, embedderId, isReindexing }: Sized,
): CollectionView["status"] {
  if (isReindexing) return "reindexing";
  const isRunnable = fillersOf(rag, { tenant, name }).every(({ version }) => version !== undefined);
  if (!isRunnable) return "ready";
  return pipelineFor(rag, { tenant, collection: name }).embedder.id === embedderId
    ? "ready"
    : "reindex_needed";
}

/** Maximum number of collections checked, because opening one may need a call to a server. */
const collectionsMax = 200;

/** Returns a message for each collection, of any tenant, whose vectors are not in the place that this process uses. */
export async function collectionsElsewhere({
  ports,
  storeById,
}: Pick<DaemonRag, "ports" | "storeById">): Promise<string[]> {
  const parts: string[] = [];
  for (const collection of await ports.registry.listFilled(collectionsMax)) {
    const store = storeById(collection.storeId);
    if (store === undefined) continue;
    try {
      await openHeld(ports, { store }, collection, true);
    } catch (thrown) {
      // A store that doesn't answer is reported by its own check.
      if (isElsewhere(thrown)) parts.push(toAppError(thrown).message);
    }
  }
  return parts;
}
