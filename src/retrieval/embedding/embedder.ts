/**
 * Turns texts into vectors of one length. Vectors of embedders with the same `id` may be compared, of others never: a
 * collection remembers the id that its vectors are of.
 */
export interface Embedder {
  /** Provider, model and what else decides the vectors: `local_hash/1`, `openai/text-embedding-3-small@1536`. */
  readonly id: string;
  /** Whether it knows words and their parts only, and nothing of meaning. */
  readonly isLexical: boolean;
  /** Memories less similar than this are left out where nobody set a threshold. */
  readonly defaultThreshold: number;
  /** The length of its vectors; asks the model once where only that knows. Throws as `embed` does. */
  dimension(signal: AbortSignal): Promise<number>;
  /**
   * A vector of length 1 for each text, in their order, end to end in one array; zeros for a text that says nothing.
   * Bounded batches, retries and rate limits are its own matter. Throws AppError `embedder_failed` (502),
   * `embedder_unavailable` (503), or the signal's reason.
   */
  embed(texts: readonly string[], use: EmbeddingUse, signal: AbortSignal): Promise<Float32Array>;
  /** Asks whether its server answers, at no cost; absent where there is no server. Throws as `embed` does. */
  probe?(signal: AbortSignal): Promise<void>;
}

/** Some models tell questions from what is to be found. */
export type EmbeddingUse = "document" | "query";

/** What a manifest says of an embedder. */
export interface EmbedderSettings {
  /** A name of the registry: `local_hash`, `ollama`, `openai`, `sentence_transformer`. */
  provider: string;
  model?: string | undefined;
  endpoint?: string | undefined;
  api_key_env?: string | undefined;
  dimension?: number | undefined;
}
