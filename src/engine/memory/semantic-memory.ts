import type { MemoryScope } from "./memory-scope.ts";

/** A text that was kept, as it is recalled: plain JSON. */
export interface SemanticRecord {
  text: string;
  /** Cosine similarity to the query, 0 to 1. */
  score: number;
  metadata: Record<string, unknown>;
  /** The session that it was said in; or else whoever added it, in its own words. */
  source: string;
}

/** What was said in a run, as the guardrails let it through. */
export interface Exchange {
  query: string;
  response: string;
  traceId: string;
  at: Date;
}

export interface SemanticQuestion {
  query: string;
  /** Trace ids of exchanges that the run knows already. */
  shown: readonly string[];
  signal: AbortSignal;
}

/** An agent's semantic memory, with the store, the embedder and the limits that its manifest names. */
export interface SemanticMemory {
  /**
   * The kept texts that are most like the query, the best first, over all sessions of the scope's agent: those of its user
   * and those of nobody. Throws AppError when store or embedder can't be used, or the signal's reason.
   */
  recall(scope: MemoryScope, question: SemanticQuestion): Promise<SemanticRecord[]>;
  /** Keeps an exchange: on disk when it resolves, and found from shortly after. */
  keep(scope: MemoryScope, exchange: Exchange): Promise<void>;
}
