/** Whose memory: never without all three. */
export interface SessionKey {
  tenant: string;
  agent: string;
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
  /** Appends in order, all or none. */
  append(key: SessionKey, turns: readonly Turn[]): Promise<void>;
  /** Removes every turn; the number removed. */
  clear(key: SessionKey): Promise<number>;
}
