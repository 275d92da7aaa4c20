import type { Embedder, EmbedderSettings } from "./embedding/embedder.ts";
import type { Reranker, RerankerSettings } from "./reranking/reranker.ts";
import type { VectorStoreSettings } from "./stores/store-kind.ts";
import type { VectorStore } from "./stores/vector-store.ts";

/**
 * Parts of pipelines and memories. Equal settings give the same object; nothing is loaded or called before its first use. Each method
 * throws AppError `invalid_manifest` whose problems have the invalid key.
 */
export interface RetrievalParts {
  storeOf(settings: VectorStoreSettings): VectorStore;
  embedderOf(settings: EmbedderSettings): Embedder;
  rerankerOf(settings: RerankerSettings): Reranker;
}
