import type { MemoryScope } from "./memory-scope.ts";

/** A stored text as it is recalled, as plain JSON. */
export interface SemanticRecord {
  text: string;
  /** Cosine similarity to the query, 0 to 1. */
  score: number;
  metadata: Record<string, unknown>;
  /** The session in which it was said, or the source that a client named when adding it. */
  source: string;
}

/** Query and answer of a run after the guardrails. */
export interface Exchange {
  query: string;
  response: string;
  traceId: string;
  at: Date;
}

export interface SemanticQuestion {
  query: string;
  /** Trace ids of exchanges that the run already has. */
  shown: readonly string[];
  signal: AbortSignal;
}

/** An agent's semantic memory, with the store, embedder and limits from its manifest. */
export interface SemanticMemory {
  /**
   * The stored texts most similar to the query, best first, over all sessions of the scope's agent: those of its user and those without a
   * user. Throws AppError if the store or embedder fails, or the signal's reason.
   */
  recall(scope: MemoryScope, question: SemanticQuestion): Promise<SemanticRecord[]>;
  /** Stores an exchange durably. It can be found shortly afterwards. */
  keep(scope: MemoryScope, exchange: Exchange): Promise<void>;
}
