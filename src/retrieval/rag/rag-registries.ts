import type { RagRegistries } from "../../manifest/rag-pipeline.ts";
import { chunkerNames } from "../chunking/create-chunker.ts";
import { embedderNames } from "../embedding/create-embedders.ts";
import { rerankerNames } from "../reranking/create-rerankers.ts";
import { vectorStoreNames } from "../stores/vector-stores.ts";

/** Names that a pipeline may use in this executable. */
export const ragRegistries: RagRegistries = {
  chunkers: chunkerNames,
  embedders: embedderNames,
  vectorStores: vectorStoreNames,
  rerankers: rerankerNames,
};
