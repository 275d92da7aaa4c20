/*
 * The memory of agents: conversations, their running summaries and the strategy that selects turns, and long-term memory (semantic and
 * episodic). Stores implement the ports of this folder; `run/memory/` reads and writes them during a run.
 */

/** A durable run in this process. A claim of its number or a later one is another process's. */
export interface RunFence {
  tenant: string;
  runId: string;
  from: number;
}

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
   * deleted and begins anew. With `fence`, stores in the runs' own database throw `run_taken_over` if another process continues the run.
   */
  append(key: SessionKey, turns: readonly Turn[], ttlMs?: number, fence?: RunFence): Promise<void>;
  /** Removes every turn and the summary. Returns the number of turns removed. */
  clear(key: SessionKey): Promise<number>;
  /** Time of the last `end` of the session, or of all of its agent. Absent: the store keeps no ends. */
  endedAt?(key: SessionKey): Promise<Date | undefined> | Date | undefined;
  /** Absent: the store keeps no summaries. */
  readonly summaries?: SummaryStore;
}

/** A turn and its position in the session. Positions start at 1 and increase. */
export interface NumberedTurn extends Turn {
  seq: number;
}

/** A session as it is listed. */
export interface SessionSummary {
  sessionId: string;
  /** Number of stored turns. */
  turns: number;
  tokens: number;
  firstAt: Date;
  lastAt: Date;
  isSummarized: boolean;
}

/** Position in the list of sessions. */
export interface SessionPlace {
  lastAt: Date;
  sessionId: string;
}

/** A store that also lists sessions, returns them in pages and deletes old ones. */
export interface ConversationArchive extends ConversationStore {
  readonly summaries: SummaryStore;
  endedAt(key: SessionKey): Promise<Date | undefined> | Date | undefined;
  /**
   * Ends a session, or all sessions of an agent: a run that began before `at` stores nothing more. Called before anything is deleted, so
   * that a run in progress either sees the end or has stored what is then deleted.
   */
  end(key: SessionKey | AgentKey, at: Date): Promise<void>;
  /** Sessions of the agent whose last turn is later than `since`, latest first, starting after `after`. */
  sessions(
    key: AgentKey,
    page: { limit: number; after?: SessionPlace | undefined; since?: Date | undefined },
  ): Promise<SessionSummary[]>;
  /** The last `limit` turns before position `before`, oldest first. Without `before`, the last turns of the session. */
  page(key: SessionKey, page: { limit: number; before?: number | undefined }): Promise<NumberedTurn[]>;
  /**
   * Ids of the agent's sessions after `cursor`, about `limit` per page. A session that exists the whole time is returned at least once.
   * Without `next`, this was the last page.
   */
  sessionIds(
    key: AgentKey,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ ids: string[]; next?: string | undefined }>;
  /** Deletes at most `limit` of the agent's sessions whose last turn is at `before` or earlier. Returns their ids. */
  forgetBefore(key: AgentKey, before: Date, limit: number): Promise<string[]>;
}

/** A model's summary of the older turns of a conversation. */
export interface ConversationSummary {
  text: string;
  tokenCount: number;
  /** Position of the last turn that the summary covers. */
  upTo: number;
  at: Date;
}

/** Last position of a session, last summarized position, and the summary's tokens. 0: no turn or no summary. */
export interface SummaryProgress {
  lastSeq: number;
  upTo: number;
  tokenCount: number;
}

/** A summarizer's lease on a session, and the summary that it continues. */
export interface SummaryClaim {
  /** Distinguishes the session from a later one with the same id. */
  life: string;
  until: Date;
  lastSeq: number;
  upTo: number;
  /** Empty if there is no summary yet. */
  text: string;
}

/** Running summaries of conversations. A summary and the position it covers change together or not at all. */
export interface SummaryStore {
  find(key: SessionKey): Promise<ConversationSummary | undefined>;
  /** Returns undefined for an unknown session. */
  progress(key: SessionKey): Promise<SummaryProgress | undefined>;
  /** Claims the session for one summarizer; undefined for an unknown session or while another summarizer has it. */
  claim(key: SessionKey, now: Date, until: Date): Promise<SummaryClaim | undefined>;
  /** The first `limit` turns after position `after`, oldest first. */
  turnsAfter(key: SessionKey, after: number, limit: number): Promise<NumberedTurn[]>;
  /**
   * Replaces the claim's summary. Returns false and changes nothing if the session was deleted or summarized by another since. The claim
   * remains and contains the saved summary.
   */
  save(key: SessionKey, claim: SummaryClaim, summary: ConversationSummary): Promise<boolean>;
  /** Ends the claim. */
  release(key: SessionKey, claim: SummaryClaim): Promise<void>;
}
