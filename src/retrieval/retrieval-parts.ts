import type { Embedder, EmbedderSettings } from "./embedding/embedder.ts";
import type { Reranker, RerankerSettings } from "./reranking/reranker.ts";
import type { VectorStoreSettings } from "./stores/store-settings.ts";
import type { VectorStore } from "./stores/vector-store.ts";

/**
 * What pipelines and memories are made of. Equal settings give the same object; nothing is loaded or called before it is used.
 * Each throws AppError `invalid_manifest` whose problems name the key of the settings that can't be honoured.
 */
export interface RetrievalParts {
  storeOf(settings: VectorStoreSettings): VectorStore;
  embedderOf(settings: EmbedderSettings): Embedder;
  rerankerOf(settings: RerankerSettings): Reranker;
}
