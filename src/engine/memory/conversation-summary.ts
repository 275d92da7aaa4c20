import type { SessionKey } from "./conversation.ts";
import type { NumberedTurn } from "./conversation-archive.ts";

/** What the older turns of a conversation came to, in a model's words. */
export interface ConversationSummary {
  text: string;
  tokenCount: number;
  /** It covers all turns up to this position. */
  upTo: number;
  at: Date;
}

/** How far a session has come, and how far it is summed up, in how many tokens; 0: not at all. */
export interface SummaryProgress {
  lastSeq: number;
  upTo: number;
  tokenCount: number;
}

/** The right of one summarizer to a session, and what it goes on from. */
export interface SummaryClaim {
  /** Tells the session from a later one of the same name. */
  life: string;
  until: Date;
  lastSeq: number;
  upTo: number;
  /** Empty when there is no summary yet. */
  text: string;
}

/** The running summaries of conversations. A summary and the position it covers change together or not at all. */
export interface SummaryStore {
  find(key: SessionKey): Promise<ConversationSummary | undefined>;
  /** Undefined for an unknown session. */
  progress(key: SessionKey): Promise<SummaryProgress | undefined>;
  /** Takes the session for one summarizer; undefined while another has it, or for an unknown session. */
  claim(key: SessionKey, now: Date, until: Date): Promise<SummaryClaim | undefined>;
  /** The first `limit` turns after position `after`, oldest first. */
  turnsAfter(key: SessionKey, after: number, limit: number): Promise<NumberedTurn[]>;
  /**
   * Puts the summary in the place of the claim's own; false, and nothing changed, when the session was forgotten or summed up
   * by another since. The claim stays, with what was saved in it.
   */
  save(key: SessionKey, claim: SummaryClaim, summary: ConversationSummary): Promise<boolean>;
  /** Gives the session back. */
  release(key: SessionKey, claim: SummaryClaim): Promise<void>;
}
