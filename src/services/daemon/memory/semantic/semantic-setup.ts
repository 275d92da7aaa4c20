import type { SemanticSettings } from "../../../../engine/agents/recall-sources.ts";
import { AppError, type Problem } from "../../../../kit/app-error.ts";
import { invalidManifest } from "../../../../manifest/fault.ts";
import { createChunker } from "../../../../retrieval/chunking/create-chunker.ts";
import type { Embedder } from "../../../../retrieval/embedding/embedder.ts";
import { createMemoryIndex } from "../../../../retrieval/memory/memory-index.ts";
import type { RetrievalParts } from "../../../../retrieval/retrieval-ports.ts";
import type { VectorStore } from "../../../../retrieval/stores/vector-store.ts";
import { storeName } from "./semantic-memories.ts";
import type { TextsSetup } from "./stored-texts.ts";

/** Maximum length of a separately searchable piece of text, in characters. Longer pieces match no query well. */
const pieceSize = 500;

/**
 * Creates a semantic memory from a manifest's settings. Opens and calls nothing. Throws AppError `invalid_manifest`, with paths as in the
 * manifest, for unsupported settings.
 */
export function semanticSetup(settings: SemanticSettings, retrieval: RetrievalParts): TextsSetup {
  const { connection, similarity_threshold, max_results } = settings;
  const { store, embedder } = semanticParts(settings, retrieval);
  const chunking = { strategy: "sentence", chunk_size: pieceSize, overlap: 0, similarity_threshold: 0 };
  return {
    index: createMemoryIndex(store, embedder, createChunker(chunking, embedder)),
    storeName: storeName(store.backend, connection?.url),
    resultsMax: max_results,
    scoreMin: similarity_threshold ?? embedder.defaultThreshold,
  };
}

/** Returns the store and embedder of a semantic memory. Throws like `semanticSetup`. */
export function semanticParts(
  { backend, connection, embedder: named }: SemanticSettings,
  retrieval: Pick<RetrievalParts, "storeOf" | "embedderOf">,
): { store: VectorStore; embedder: Embedder } {
  const url = connection?.url;
  const [provider = "", ...model] = named.split("/");
  const problems: Problem[] = [];
  const place = (path: string) => (path === "url" || path === "dsn" ? "connection.url" : "backend");
  const store = collect(problems, place, () =>
    retrieval.storeOf({
      backend,
      ...(url !== undefined && (backend === "pgvector" ? { dsn: url } : { url })),
    }),
  );
  const embedder = collect(
    problems,
    () => "embedder",
    () => retrieval.embedderOf({ provider, ...(model.length > 0 && { model: model.join("/") }) }),
  );
  if (store === undefined || embedder === undefined) throw invalidManifest(problems);
  return { store, embedder };
}

/** Collects the problems of an AppError under the manifest's keys. */
function collect<T>(problems: Problem[], place: (path: string) => string, make: () => T): T | undefined {
  try {
    return make();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.details.problems === undefined) throw thrown;
    for (const { path, message } of thrown.details.problems) {
      problems.push({ path: `spec.memory.semantic.${place(path)}`, message });
    }
    return undefined;
  }
}
