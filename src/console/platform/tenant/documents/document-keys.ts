/** Query keys of a tenant's documents. Each key is the prefix of the keys within it. */
export function documentKeys(tenantId: string) {
  const collections = ["platform", tenantId, "collections"] as const;
  return {
    collections,
    documents: (collection: string) => [...collections, collection, "documents"] as const,
    search: (collection: string, query: string) => [...collections, collection, "search", query] as const,
  };
}
