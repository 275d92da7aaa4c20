import { AppError } from "../../../kit/app-error.ts";
import type { NewId } from "../../../kit/id.ts";
import type { HeldCollection, HeldVectors } from "../../stores/held-vectors.ts";
import type { CollectionKey, VectorCollection } from "../../stores/vector-store.ts";
import type { RagPipeline } from "../rag-pipeline.ts";
import type { RagPorts } from "../rag-ports.ts";
import type { CollectionQuota } from "./collection-quota.ts";
import type { Collection, CollectionRegistry, NewCollection } from "./collection-registry.ts";
import { isInMemory } from "./store-id.ts";

/**
 * Opens the collection's rows in the store that contains them. Throws AppError `vectors_elsewhere` (503) if the store is another place, or
 * fewer rows than recorded.
 */
export function openHeld(
  { registry, held }: Pick<RagPorts, "registry" | "held">,
  pipeline: Pick<RagPipeline, "store">,
  collection: Collection,
  isFresh = false,
): Promise<VectorCollection> {
  return held.open(heldCollection(registry, pipeline, collection), isFresh);
}

/** The collection in the form for `HeldVectors`. */
export function heldCollection(
  registry: CollectionRegistry,
  { store }: Pick<RagPipeline, "store">,
  collection: Collection,
): HeldCollection {
  const { tenant, id, name, vectors, dimension } = collection;
  return {
    store,
    key: rowsKey(tenant, vectors),
    dimension,
    known: collection,
    async read() {
      const [now] = await registry.list(tenant, name);
      return now?.id === id && now.vectors === vectors ? { ...now, rows: now.chunks } : undefined;
    },
    adopt: (place) => registry.adoptPlace({ tenant, collection: id }, place),
    name: `collection ${name}`,
    mend: `argosy rag reindex ${name}`,
  };
}

/** Opens the collection's rows in any store, and creates them if there are none. */
export function openRows(
  pipeline: Pick<RagPipeline, "store">,
  { tenant, vectors, dimension }: Pick<Collection, "tenant" | "vectors" | "dimension">,
): Promise<VectorCollection> {
  return pipeline.store.open(rowsKey(tenant, vectors), dimension);
}

export const rowsKey = (tenant: string, vectors: string): CollectionKey => ({
  tenant,
  kind: "rag",
  name: vectors,
});

/**
 * The collection that a pipeline fills, created with its first document; throws AppError `reindex_needed` or `collection_elsewhere` (409).
 */
export async function obtainCollection(
  { registry, held }: { registry: CollectionRegistry; held: HeldVectors },
  pipeline: RagPipeline,
  {
    tenant,
    name,
    newId,
    signal,
    quota,
  }: {
    tenant: string;
    name: string;
    newId: NewId;
    signal: AbortSignal;
    quota?: CollectionQuota | undefined;
  },
): Promise<Collection> {
  const known = await registry.find(tenant, name);
  if (known !== undefined) {
    requireFit(known, pipeline);
    return known;
  }
  const { store, storeId, embedder } = pipeline;
  const dimension = await embedder.dimension(signal);
  const id = newId();
  const collection: NewCollection = {
    tenant,
    id,
    name,
    vectors: vectorsName(name, id),
    backend: store.backend,
    storeId,
    place: (await held.placeOf(store))?.id ?? null,
    embedderId: embedder.id,
    dimension,
    sender: pipeline.isUntrusted === true ? "stranger" : null,
  };
  const made = await registry.create(collection, quota);
  // Another writer may have been first.
  requireFit(made, pipeline);
  return made;
}

/** Name of a collection's rows: its name and a unique suffix. */
export function vectorsName(name: string, id: string): string {
  return `${name}-${id.replaceAll("-", "").slice(-12)}`;
}

/** Throws unless the pipeline has the embedder and store with which the collection was filled. */
export function requireFit(collection: Collection, pipeline: RagPipeline): void {
  requireStore(collection, pipeline);
  if (collection.embedderId === pipeline.embedder.id) return;
  throw new AppError(
    "conflict",
    "reindex_needed",
    `The vectors of collection ${collection.name} are of ${collection.embedderId}, and ${subject(pipeline)} has ${pipeline.embedder.id}.`,
    {
      details: {
        hint: collection.isReindexing
          ? "It is being re-indexed; try again when that has ended."
          : `argosy rag reindex ${collection.name} makes its vectors anew, without its source files.`,
      },
    },
  );
}

/** Throws unless the pipeline's store is that of the collection. */
export function requireStore({ name, backend, storeId }: Collection, pipeline: RagPipeline): void {
  if (storeId === pipeline.storeId) return;
  const inMemory = isInMemory(storeId);
  const place = inMemory ? "the memory of another process, or of one that has ended" : `another ${backend}`;
  throw new AppError(
    "conflict",
    "collection_elsewhere",
    `Collection ${name} is in ${backend === pipeline.store.backend || inMemory ? place : backend}, and ${subject(pipeline)} names ${pipeline.store.backend}.`,
    {
      details: {
        hint: `Name its store again, or delete the collection (DELETE /v1/rag/collections/${name}) and ingest its documents anew.`,
      },
    },
  );
}

const subject = ({ name }: RagPipeline) => (name === undefined ? "the default" : `pipeline ${name}`);
