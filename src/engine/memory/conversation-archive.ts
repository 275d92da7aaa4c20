import type { AgentKey, ConversationStore, SessionKey, Turn } from "./conversation.ts";
import type { SummaryStore } from "./conversation-summary.ts";

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
