import type { CollectionView } from "../../../contracts/daemon/rag/rag.ts";
import type { TenantCollection, TenantCollectionList } from "../../../contracts/platform/collections.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { CollectionDeps } from "./deps.ts";
import { collectionsMax, documentLimits } from "./document-limits.ts";
import { reachDocuments } from "./reach-documents.ts";

/** The tenant's collections, and how much it may keep. */
export async function listCollections(
  deps: CollectionDeps,
  { tenantId }: TenantActor,
): Promise<TenantCollectionList> {
  const limits = await documentLimits(deps, tenantId);
  const { collections } = await reachDocuments(deps, () => deps.runtime.documents.collections(tenantId));
  return {
    collections: collections.map(presentCollection),
    documents: collections.reduce((sum, { documents }) => sum + documents, 0),
    limits: { collections_max: collectionsMax, ...limits },
  };
}

/** A collection without what is the operator's: its store and embedder. */
export function presentCollection({
  name,
  documents,
  chunks,
  status,
  created_at,
}: CollectionView): TenantCollection {
  const isAway = status === "vectors_elsewhere" || status === "reindex_needed";
  return { name, documents, chunks, status: isAway ? "unavailable" : "ready", created_at };
}
