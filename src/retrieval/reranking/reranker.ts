/** Scores found texts again with a slower, more precise model. */
export interface Reranker {
  /**
   * Returns a relevance of 0 to 1 for each text, in their order. Throws AppError `reranker_failed` (502) or `reranker_unavailable` (503),
   * or the signal's reason.
   */
  score(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]>;
  /** Checks without cost that its server answers; absent if there is no server. Throws as `score`. */
  probe?(signal: AbortSignal): Promise<void>;
}

/** Settings of a reranker in a manifest. */
export interface RerankerSettings {
  /** Name in the registry: `cross_encoder`, `cohere`. */
  provider: string;
  model?: string | undefined;
  api_key_env?: string | undefined;
}
