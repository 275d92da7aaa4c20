import type { RecordedError } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { Turn } from "../memory/conversation.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { Decision, PendingCall, RequestedBy } from "../run-state/interceptor.ts";
import { restoreError } from "../run-state/recorded-error.ts";
import type { ToolResult } from "../tools/tool.ts";

/** A turn of a conversation as JSON. */
export interface JournalTurn {
  role: "user" | "assistant";
  content: string;
  at: string;
  tokenCount: number;
  metadata: Record<string, unknown>;
}

/** One answer that a run received from outside, or one action that it took. Entries with the same `key` are used in order. */
export type JournalEntry = { key: string } & (
  | { kind: "model"; events: RoutedEvent[]; error?: RecordedError }
  | { kind: "tool"; result: ToolResult; stopped?: RecordedError }
  | { kind: "turns"; turns: JournalTurn[]; error?: RecordedError }
  | { kind: "recall"; items: object[]; error?: RecordedError }
  | { kind: "limit"; waitMs?: number }
  | { kind: "now"; at: string }
  | { kind: "deed" }
  | { kind: "decision"; decision: Decision }
  | { kind: "answer"; result: ToolResult }
);

/** Events that readers of a run received before it paused. */
export interface SentSoFar {
  /** Number of characters of the answer. */
  characters: number;
  /** Digests of the events other than tokens. */
  events: string[];
}

/** Everything needed to resume a paused run, as JSON. */
export interface PausedRun {
  version: 1;
  by: RequestedBy;
  pending: PendingCall;
  entries: JournalEntry[];
  told: SentSoFar;
}

/** Input that resumes a run: a person's decision, or the result of a call that the caller carried out. */
export type GoAhead = { decision: Decision } | { result: ToolResult };

/** A paused run and the input that resumes it. */
export type Resumption = GoAhead & {
  run: PausedRun;
  /** Called once, when the run reaches the call and starts to act again. */
  reached?: () => void;
};

/**
 * Key of a journal entry: SHA-256 of the kind, the agent, its role and the request. A resumed run makes the same requests and so finds its
 * entries.
 */
export function journalKey(
  kind: JournalEntry["kind"],
  { agent, role }: RequestedBy,
  request: unknown,
): string {
  return new Bun.CryptoHasher("sha256")
    .update(`${kind}\n${agent}\n${role ?? ""}\n${JSON.stringify(request)}`)
    .digest("hex");
}

/** Turns as JSON. */
export function writtenTurns(turns: readonly Turn[]): JournalTurn[] {
  return turns.map((turn) => ({ ...turn, at: turn.at.toISOString() }));
}

/** Turns that the conversation memory returned. Throws the recorded error if reading them failed. */
export function playedTurns({ turns, error }: Extract<JournalEntry, { kind: "turns" }>): Turn[] {
  if (error !== undefined) throw restoreError(error);
  return turns.map((turn) => ({ ...turn, at: new Date(turn.at) }));
}
