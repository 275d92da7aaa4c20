import type { SummaryStore } from "./conversation-summary.ts";

export interface AgentKey {
  tenant: string;
  agent: string;
}

/** The key of a session's memory. All three parts are always required. */
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

/** Storage of conversational memory. One conformance suite runs against every implementation. */
export interface ConversationStore {
  /** The last `limit` turns, oldest first; empty for an unknown session. */
  recent(key: SessionKey, limit: number): Promise<Turn[]>;
  /**
   * Appends the turns in order, all or none. With `ttlMs`, a session whose last turn is at least that much older than the first new one is
   * deleted and begins anew.
   */
  append(key: SessionKey, turns: readonly Turn[], ttlMs?: number): Promise<void>;
  /** Removes every turn and the summary. Returns the number of turns removed. */
  clear(key: SessionKey): Promise<number>;
  /** Absent: the store keeps no summaries. */
  readonly summaries?: SummaryStore;
}
