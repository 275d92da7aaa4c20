/** Where the pages about knowledge are. */
export const knowledgePaths = {
  all: "/studio/knowledge",
  collection: (name: string) => `/studio/knowledge/${encodeURIComponent(name)}`,
  newPipeline: "/studio/knowledge/pipelines/edit",
  pipeline: (name: string) => `/studio/knowledge/pipelines/edit?name=${encodeURIComponent(name)}`,
};

/** Query keys, so that what changes is read again everywhere. */
export const knowledgeKeys = {
  all: ["daemon", "rag"] as const,
  collections: ["daemon", "rag", "collections"] as const,
  collection: (name: string) => ["daemon", "rag", "collections", name] as const,
  documents: (name: string) => ["daemon", "rag", "collections", name, "documents"] as const,
  pipelines: ["daemon", "rag", "pipelines"] as const,
  jobs: ["daemon", "rag", "jobs"] as const,
};
