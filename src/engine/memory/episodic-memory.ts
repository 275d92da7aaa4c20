import type { MemoryScope } from "./memory-scope.ts";

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
}
