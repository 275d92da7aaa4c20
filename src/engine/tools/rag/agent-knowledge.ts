import type { VectorFilter } from "../../../retrieval/stores/filters/vector-filter.ts";

/** A RAG pipeline or collection for agents and their tools. Both methods throw AppError on failure. */
export interface AgentKnowledge {
  /** Returns the best passages for a question, best first; absent settings have the pipeline's values. */
  query(question: KnowledgeQuestion): Promise<readonly Passage[]>;
  /** Adds a document atomically. */
  ingest(document: {
    text: string;
    metadata: Record<string, unknown>;
    signal: AbortSignal;
  }): Promise<{ documentId: string; chunksCreated: number }>;
}

export interface KnowledgeQuestion {
  query: string;
  topK?: number;
  /** Minimum score of returned passages. */
  scoreThreshold?: number;
  filter?: VectorFilter;
  signal: AbortSignal;
}

export interface Passage {
  text: string;
  /** Cosine similarity to the question, 0 to 1. */
  score: number;
  metadata: Record<string, unknown>;
  /** Source of the passage: the document, the index of the chunk, its range of characters, its page and section. */
  citation: {
    documentId: string;
    chunk: number;
    start: number;
    end: number;
    page?: number;
    section?: string;
  };
}

/** Documents that a tenant's agents may use. */
export interface KnowledgeBases {
  /** Returns undefined if there is no pipeline with that name. Pipelines may change while agents are loaded, so call this on each use. */
  pipeline(tenant: string, name: string): AgentKnowledge | undefined;
  /** Returns a collection by name, with the settings of the pipeline that fills it, or defaults. */
  collection(tenant: string, name: string): AgentKnowledge;
}
