import type { TapedError } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { TapedBy } from "../cassettes/tape.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { ToolResult } from "../tools/tool.ts";

/** A person's decision on a call. */
export interface Decision {
  verdict: "approved" | "rejected";
  comment?: string;
}

/** A call that waits for a person, or for the caller. */
export interface PendingCall {
  /** The agent whose model made the call: the requested agent or one that it called. */
  agent: string;
  tool: string;
  input: Record<string, unknown>;
  /** `result`: the caller has to carry out the call. Absent: a person has to decide on it. */
  awaits?: "result";
  /** Longest wait in milliseconds; absent: the limit of the installation. */
  waitMs?: number;
}

/** A call that the caller has to carry out. */
export type AwaitedCall = PendingCall & { awaits: "result" };

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
  | { kind: "model"; events: RoutedEvent[]; error?: TapedError }
  | { kind: "tool"; result: ToolResult; stopped?: TapedError }
  | { kind: "turns"; turns: JournalTurn[]; error?: TapedError }
  | { kind: "recall"; items: object[]; error?: TapedError }
  | { kind: "limit"; waitMs?: number }
  | { kind: "now"; at: string }
  | { kind: "deed" }
  | { kind: "decision"; decision: Decision }
  | { kind: "answer"; result: ToolResult }
);

/** Events that readers of a run received before it paused. */
export interface Told {
  /** Number of characters of the answer. */
  characters: number;
  /** Digests of the events other than tokens. */
  events: string[];
}

/** Everything needed to resume a paused run, as JSON. */
export interface PausedRun {
  version: 1;
  by: TapedBy;
  pending: PendingCall;
  entries: JournalEntry[];
  told: Told;
}

/** Input that resumes a run: a person's decision, or the result of a call that the caller carried out. */
export type GoAhead = { decision: Decision } | { result: ToolResult };

/** A paused run and the input that resumes it. */
export type Resumption = GoAhead & {
  run: PausedRun;
  /** Called once, when the run reaches the call and starts to act again. */
  reached?: () => void;
};
