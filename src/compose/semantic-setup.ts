import type { SemanticSettings } from "../engine/run/build-recall.ts";
import { AppError, type Problem } from "../kit/app-error.ts";
import { invalidManifest } from "../manifest/problems.ts";
import { createChunker } from "../retrieval/chunking/create-chunker.ts";
import type { Embedder } from "../retrieval/embedding/embedder.ts";
import { createMemoryIndex } from "../retrieval/memory/memory-index.ts";
import type { RetrievalParts } from "../retrieval/retrieval-parts.ts";
import type { VectorStore } from "../retrieval/stores/vector-store.ts";
import { storeName } from "../services/daemon/memory/semantic/semantic-memories.ts";
import type { TextsSetup } from "../services/daemon/memory/semantic/stored-texts.ts";

/** The longest piece of a text that is found by itself, in characters: longer ones are like nothing in particular. */
const pieceSize = 500;

/**
 * A semantic memory as a manifest declares it; nothing is opened or called. Throws AppError `invalid_manifest`, with paths as in
 * the manifest, for what can't be honoured.
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

/** Store and embedder of a semantic memory. Throws as `semanticSetup` does. */
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

/** Adds the problems of an AppError to the others, at the keys of the manifest that they come from. */
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
