/** Takes a second, slower look at what was found. */
export interface Reranker {
  /** How well each text answers the query, 0 to 1, in the order of the texts. Throws AppError `reranker_failed` (502) or
   * `reranker_unavailable` (503), or the signal's reason. */
  score(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]>;
  /** Asks whether its server answers, at no cost; absent where there is no server. Throws as `score` does. */
  probe?(signal: AbortSignal): Promise<void>;
}

/** What a manifest says of a reranker. */
export interface RerankerSettings {
  /** A name of the registry: `cross_encoder`, `cohere`. */
  provider: string;
  model?: string | undefined;
  api_key_env?: string | undefined;
}
