/**
 * Turns texts into vectors of a fixed length. Vectors may be compared only if their embedders have the same `id`, which a collection
 * stores.
 */
export interface Embedder {
  /** Provider, model and other settings that determine the vectors: `local_hash/1`, `openai/text-embedding-3-small@1536`. */
  readonly id: string;
  /** True if it compares words and word parts, without their meaning. */
  readonly isLexical: boolean;
  /** Default minimum similarity of memories. */
  readonly defaultThreshold: number;
  /** Returns the length of its vectors; if only the model knows it, calls the model once. Throws as `embed`. */
  dimension(signal: AbortSignal): Promise<number>;
  /**
   * Returns a vector of length 1 for each text, in order, concatenated in one array; zeros for a text without content. It handles batches,
   * retries and rate limits itself. Throws AppError `embedder_failed` (502), `embedder_unavailable` (503), or the signal's reason.
   */
  embed(texts: readonly string[], use: EmbeddingUse, signal: AbortSignal): Promise<Float32Array>;
  /** Checks without cost that its server answers; absent if there is no server. Throws as `embed`. */
  probe?(signal: AbortSignal): Promise<void>;
}

/** Some models distinguish queries from documents. */
export type EmbeddingUse = "document" | "query";

/** Settings of an embedder in a manifest. */
export interface EmbedderSettings {
  /** Name in the registry: `local_hash`, `ollama`, `openai`, `sentence_transformer`. */
  provider: string;
  model?: string | undefined;
  endpoint?: string | undefined;
  api_key_env?: string | undefined;
  dimension?: number | undefined;
}
