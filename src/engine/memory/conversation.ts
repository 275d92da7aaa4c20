import type { SummaryStore } from "./conversation-summary.ts";

export interface AgentKey {
  tenant: string;
  agent: string;
}

/** Whose memory: never without all three. */
export interface SessionKey extends AgentKey {
  sessionId: string;
}

export interface Turn {
  role: "user" | "assistant";
  content: string;
  at: Date;
  tokenCount: number;
  metadata: Record<string, unknown>;
}

/** The port conversational memory stands on; one conformance suite runs over every implementation. */
export interface ConversationStore {
  /** The last `limit` turns, oldest first; empty for an unknown session. */
  recent(key: SessionKey, limit: number): Promise<Turn[]>;
  /**
   * Appends in order, all or none. With `ttlMs` a session that was quiet for so long before the first of them is forgotten,
   * and begins anew.
   */
  append(key: SessionKey, turns: readonly Turn[], ttlMs?: number): Promise<void>;
  /** Removes every turn, and what they were summed up to; the number removed. */
  clear(key: SessionKey): Promise<number>;
  /** Absent: the store keeps no summaries. */
  readonly summaries?: SummaryStore;
}
