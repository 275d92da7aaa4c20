import type { VectorFilter } from "../../../retrieval/stores/vector-filter.ts";

/** A RAG pipeline or collection, as agents and their tools use it. Both throw AppError for what can't be done. */
export interface AgentKnowledge {
  /** The passages that fit a question best, the best first; what is absent is as the pipeline is set to. */
  query(question: KnowledgeQuestion): Promise<readonly Passage[]>;
  /** Adds a document, whole or not at all. */
  ingest(document: {
    text: string;
    metadata: Record<string, unknown>;
    signal: AbortSignal;
  }): Promise<{ documentId: string; chunksCreated: number }>;
}

export interface KnowledgeQuestion {
  query: string;
  topK?: number;
  /** Passages below it are left out. */
  scoreThreshold?: number;
  filter?: VectorFilter;
  signal: AbortSignal;
}

export interface Passage {
  text: string;
  /** Cosine similarity to the question, 0 to 1. */
  score: number;
  metadata: Record<string, unknown>;
  /** Where it stands: the document, which of its chunks, and the characters of the document that it is. */
  citation: { documentId: string; chunk: number; start: number; end: number };
}
