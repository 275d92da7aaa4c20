import type { AgentKey, ConversationStore, SessionKey, Turn } from "./conversation.ts";
import type { SummaryStore } from "./conversation-summary.ts";

/** A turn and its position in the session, which counts from 1 and grows. */
export interface NumberedTurn extends Turn {
  seq: number;
}

/** A session as a list shows it. */
export interface SessionSummary {
  sessionId: string;
  /** What is kept of it. */
  turns: number;
  tokens: number;
  firstAt: Date;
  lastAt: Date;
  isSummarized: boolean;
}

/** A place in the list of sessions. */
export interface SessionPlace {
  lastAt: Date;
  sessionId: string;
}

/** A store that also lists what it keeps, shows it page by page, and forgets what is old. */
export interface ConversationArchive extends ConversationStore {
  readonly summaries: SummaryStore;
  /** Sessions of the agent whose last turn is later than `since`, the one continued last first, from behind `after` on. */
  sessions(
    key: AgentKey,
    page: { limit: number; after?: SessionPlace | undefined; since?: Date | undefined },
  ): Promise<SessionSummary[]>;
  /** The last `limit` turns before position `before`, oldest first; the last of all without one. */
  page(key: SessionKey, page: { limit: number; before?: number | undefined }): Promise<NumberedTurn[]>;
  /**
   * The ids of the agent's sessions, about `limit` at a time, from behind `cursor` on. Every session that is there all the
   * while is told at least once; without `next` it was the last page.
   */
  sessionIds(
    key: AgentKey,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<{ ids: string[]; next?: string | undefined }>;
  /** Forgets at most `limit` of the agent's sessions whose last turn is from `before` or earlier; their ids. */
  forgetBefore(key: AgentKey, before: Date, limit: number): Promise<string[]>;
}
