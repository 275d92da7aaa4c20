/** Names of what is kept of a tenant's documents; each begins those within it. */
export function documentKeys(tenantId: string) {
  const collections = ["platform", tenantId, "collections"] as const;
  return {
    collections,
    documents: (collection: string) => [...collections, collection, "documents"] as const,
    search: (collection: string, query: string) => [...collections, collection, "search", query] as const,
  };
}
