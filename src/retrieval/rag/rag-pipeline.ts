import { AppError, type Problem } from "../../kit/app-error.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import type { RagPipelineManifest } from "../../manifest/rag-pipeline.ts";
import type { Chunker, ChunkingSettings } from "../chunking/chunker.ts";
import type { Embedder, EmbedderSettings } from "../embedding/embedder.ts";
import type { Reranker } from "../reranking/reranker.ts";
import type { RetrievalParts } from "../retrieval-ports.ts";
import { filterProblems, readFilter } from "../stores/filters/read-filter.ts";
import type { VectorFilter } from "../stores/filters/vector-filter.ts";
import type { VectorStoreSettings } from "../stores/store-kind.ts";
import type { VectorStore } from "../stores/vector-store.ts";
import { storeIdOf } from "./collections/store-id.ts";

export type SearchMode = "hybrid" | "vector" | "text";

/** Default settings of a search. */
export interface RetrievalSettings {
  topK: number;
  threshold: number;
  /** `hybrid` becomes `vector` in stores without search by words. */
  mode: SearchMode;
  filter: VectorFilter;
}

/** A pipeline that ingests documents and finds passages. */
export interface RagPipeline {
  /** Undefined: the default pipeline, which has no manifest. */
  name: string | undefined;
  collection: string;
  /** True if someone other than the owner sent it; its collections are marked likewise. */
  isUntrusted?: boolean;
  store: VectorStore;
  storeId: string;
  embedder: Embedder;
  chunking: ChunkingSettings;
  chunkerOf: (settings: ChunkingSettings) => Chunker;
  /** Undefined if none is configured. */
  reranker: Reranker | undefined;
  /** True if the reranker is used by default. */
  isReranking: boolean;
  /** Number of passages after reranking; undefined: that of the question. */
  rerankTopK: number | undefined;
  /** Languages of the text recognition for pages that are pictures; none: they stay unread. */
  recognized?: readonly string[];
  retrieval: RetrievalSettings;
}

/** Dependencies of pipelines. */
export interface PipelineParts extends RetrievalParts {
  chunkerOf: (settings: ChunkingSettings, embedder: Embedder) => Chunker;
  /** Default store settings. */
  storeDefaults: VectorStoreSettings;
  /** Distinguishes collections in this process's memory from those of others. */
  processId: string;
}

/**
 * Builds the pipeline of a manifest; throws AppError `invalid_manifest` with every invalid key. Nothing is loaded or called before its
 * first use.
 */
export function buildPipeline(manifest: RagPipelineManifest, parts: PipelineParts): RagPipeline {
  const { metadata, spec } = manifest;
  const problems: Problem[] = [];
  const store = collect(problems, "spec.vector_store", () => parts.storeOf(spec.vector_store));
  const embedder = collect(problems, "spec.embeddings", () => parts.embedderOf(spec.embeddings));
  const { enabled, top_k: rerankTopK, ...reranking } = spec.reranking;
  const wantsReranker = enabled || reranking.model !== undefined;
  const reranker = wantsReranker
    ? collect(problems, "spec.reranking", () => parts.rerankerOf(reranking))
    : undefined;
  problems.push(...filterProblems(spec.retrieval.filters, "spec.retrieval.filters"));
  if (embedder !== undefined)
    collect(problems, "spec.chunking", () => parts.chunkerOf(spec.chunking, embedder));
  if (store === undefined || embedder === undefined || problems.length > 0) throw invalidManifest(problems);
  return {
    name: metadata.name,
    collection: spec.collection ?? metadata.name,
    store,
    storeId: storeIdOf(spec.vector_store, parts),
    embedder,
    chunking: spec.chunking,
    chunkerOf: (chunking) => parts.chunkerOf(chunking, embedder),
    reranker,
    isReranking: enabled,
    rerankTopK,
    recognized: spec.text_recognition?.languages ?? [],
    retrieval: {
      topK: spec.retrieval.top_k,
      threshold: spec.retrieval.similarity_threshold,
      mode: spec.retrieval.mode,
      filter: readFilter(spec.retrieval.filters),
    },
  };
}

/** Default chunking of a collection without a pipeline. */
export const defaultChunking: ChunkingSettings = {
  strategy: "recursive",
  chunk_size: 512,
  overlap: 50,
  similarity_threshold: 0.5,
};

const defaultEmbedder: EmbedderSettings = { provider: "local_hash" };

/** The pipeline of a collection without a manifest. */
export function defaultPipeline(collection: string, parts: PipelineParts): RagPipeline {
  const store = parts.storeOf({});
  const embedder = parts.embedderOf(defaultEmbedder);
  return {
    name: undefined,
    collection,
    store,
    storeId: storeIdOf({}, parts),
    embedder,
    chunking: defaultChunking,
    chunkerOf: (chunking) => parts.chunkerOf(chunking, embedder),
    reranker: undefined,
    isReranking: false,
    rerankTopK: undefined,
    retrieval: { topK: 5, threshold: 0, mode: "hybrid", filter: {} },
  };
}

/** Returns the result of `make`; its errors become problems below `path`. */
function collect<T>(problems: Problem[], path: string, make: () => T): T | undefined {
  try {
    return make();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "invalid_manifest") throw thrown;
    const givenProblems = thrown.details.problems ?? [{ path: "", message: thrown.message }];
    problems.push(...givenProblems.map((one) => ({ ...one, path: below(path, one.path) })));
    return undefined;
  }
}

function below(path: string, inner: string): string {
  if (inner === "" || inner.startsWith("spec.")) return inner || path;
  return `${path}.${inner}`;
}
