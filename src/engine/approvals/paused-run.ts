import type { RecordedError } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { Turn } from "../memory/conversation.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { InterceptorDecision, PendingCall, RequestedBy } from "../run-state/interceptor.ts";
import { isStop, recordError, restoreError, restoreStop, stopOf } from "../run-state/recorded-error.ts";
import type { ToolResult } from "../tools/tool.ts";

/** A turn of a conversation as JSON. */
export interface JournalTurn {
  role: "user" | "assistant";
  content: string;
  at: string;
  tokenCount: number;
  metadata: Record<string, unknown>;
}

/** The error of a request. `isStop`: it stopped the run that made the request. Entries of earlier versions have no `isStop`. */
interface Failure {
  error?: RecordedError;
  isStop?: true;
}

/**
 * One answer that a run received from outside, or one action that it took. Entries with the same `key` are in the order of the requests,
 * and are used in this order.
 */
export type JournalEntry = { key: string } & (
  | ({ kind: "model"; role?: string; events: RoutedEvent[] } & Failure)
  /** A call of a tool that may change something was about to be made. It has the key of the call. Only durable runs have such entries. */
  | { kind: "begun"; tool: string }
  | { kind: "tool"; result: ToolResult; stopped?: RecordedError }
  | ({ kind: "turns"; turns: JournalTurn[] } & Failure)
  | ({ kind: "recall"; items: object[] } & Failure)
  | { kind: "limit"; waitMs?: number }
  | { kind: "now"; at: string }
  | ({ kind: "deed" } & Failure)
  | { kind: "decision"; decision: InterceptorDecision }
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
export type GoAhead = { decision: InterceptorDecision } | { result: ToolResult };

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

/** The error of a request, as its entry keeps it. After an abort of `signal`, it is the reason of the abort. */
export function failureOf(thrown: unknown, signal: AbortSignal): Failure {
  return signal.aborted ? { error: stopOf(signal), isStop: true } : { error: recordError(thrown) };
}

/** Throws the recorded error of an entry if it has one. */
export function throwRecorded({ error, isStop: isMarked }: Failure): void {
  if (error === undefined) return;
  throw isMarked === true || isStop(error) ? restoreStop(error) : restoreError(error);
}

/** Turns that the conversation memory returned. Throws the recorded error if reading them failed. */
export function playedTurns(entry: Extract<JournalEntry, { kind: "turns" }>): Turn[] {
  throwRecorded(entry);
  return entry.turns.map((turn) => ({ ...turn, at: new Date(turn.at) }));
}
