/** Addresses of the knowledge pages. */
export const knowledgePaths = {
  all: "/studio/knowledge",
  collection: (name: string) => `/studio/knowledge/${encodeURIComponent(name)}`,
  newPipeline: "/studio/knowledge/pipelines/edit",
  pipeline: (name: string) => `/studio/knowledge/pipelines/edit?name=${encodeURIComponent(name)}`,
};

/** Query keys, so that a change refetches all affected data. */
export const knowledgeKeys = {
  all: ["daemon", "rag"] as const,
  collections: ["daemon", "rag", "collections"] as const,
  collection: (name: string) => ["daemon", "rag", "collections", name] as const,
  documents: (name: string) => ["daemon", "rag", "collections", name, "documents"] as const,
  pipelines: ["daemon", "rag", "pipelines"] as const,
  jobs: ["daemon", "rag", "jobs"] as const,
};
