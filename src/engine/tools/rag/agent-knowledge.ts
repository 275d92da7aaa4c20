/** The RAG pipeline of an agent, as its tools use it. Both throw AppError for what can't be done. */
export interface AgentKnowledge {
  /** The passages that fit a question best, the best first; `topK` absent: as many as the pipeline is set to. */
  query(question: { query: string; topK?: number; signal: AbortSignal }): Promise<readonly Passage[]>;
  /** Adds a document, whole or not at all. */
  ingest(document: {
    text: string;
    metadata: Record<string, unknown>;
    signal: AbortSignal;
  }): Promise<{ documentId: string; chunksCreated: number }>;
}

export interface Passage {
  text: string;
  /** 0 to 1. */
  score: number;
  metadata: Record<string, unknown>;
}
