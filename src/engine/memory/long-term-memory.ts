import type { SessionKey } from "./conversation.ts";

/** Key of an agent's memory over all its sessions. */
export type MemoryOwner = Omit<SessionKey, "sessionId">;

/** The session in which something was said and the user who said it, if known. A user's memories are not recalled for other users. */
export interface MemoryScope extends SessionKey {
  user: string | undefined;
}

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
  /** Deletes all texts of a session. */
  forgetSession(key: SessionKey): Promise<void>;
}

/** Something that happened, as plain JSON. */
export interface Episode {
  /** `run` for a run of the agent; other clients choose their own types. */
  event_type: string;
  summary: string;
  context: Record<string, unknown>;
  /** `ok`, `error`, `blocked`, `timeout`, or a value that a client chose. */
  outcome: string;
  /** ISO 8601 UTC. */
  timestamp: string;
  /** 0 to 1. */
  importance: number;
}

/** An agent's episodic memory, with the store and limits from its manifest. */
export interface EpisodicMemory {
  /** Episodes with the highest weight at `now`, highest first: those of the scope's user and those without a user. */
  recall(scope: MemoryScope, question: { now: Date; signal: AbortSignal }): Promise<Episode[]>;
  /** Stores an episode durably. */
  record(scope: MemoryScope, episode: Episode): Promise<void>;
  /** Deletes all episodes of a session. */
  forgetSession(key: SessionKey): Promise<void>;
}
