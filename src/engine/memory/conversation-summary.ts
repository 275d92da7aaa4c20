import type { SessionKey } from "./conversation.ts";
import type { NumberedTurn } from "./conversation-archive.ts";

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
