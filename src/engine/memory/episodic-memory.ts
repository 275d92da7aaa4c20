import type { MemoryScope } from "./memory-scope.ts";

/** Something that happened: plain JSON. */
export interface Episode {
  /** `run` for a run of the agent; whoever adds others names them. */
  event_type: string;
  summary: string;
  context: Record<string, unknown>;
  /** `ok`, `error`, `blocked`, `timeout`, or whatever was said of it. */
  outcome: string;
  /** ISO 8601 UTC. */
  timestamp: string;
  /** 0 to 1. */
  importance: number;
}

/** An agent's episodic memory, with the store and the limits that its manifest names. */
export interface EpisodicMemory {
  /** The episodes that matter most at `now`, the most first: those of the scope's user and those of nobody. */
  recall(scope: MemoryScope, question: { now: Date; signal: AbortSignal }): Promise<Episode[]>;
  /** Keeps an episode: on disk when it resolves. */
  record(scope: MemoryScope, episode: Episode): Promise<void>;
}
