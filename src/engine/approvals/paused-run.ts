import type { TapedError } from "../../contracts/daemon/cassette-file.ts";
import type { TapedBy } from "../cassettes/tape.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { ToolResult } from "../tools/tool.ts";

/** What a person said to a call. */
export interface Decision {
  verdict: "approved" | "rejected";
  comment?: string;
}

/** A call that waits for a person, or for the caller. */
export interface PendingCall {
  /** The agent whose model wants it: the one that was asked, or one that works for it. */
  agent: string;
  tool: string;
  input: Record<string, unknown>;
  /** What of it is waited for; absent: that a person decides on it. */
  awaits?: "result";
  /** How long; absent: as long as the installation lets runs wait. */
  waitMs?: number;
}

/** A call that the caller carries out. */
export type AwaitedCall = PendingCall & { awaits: "result" };

/** A turn of a conversation as JSON. */
export interface JournalTurn {
  role: "user" | "assistant";
  content: string;
  at: string;
  tokenCount: number;
  metadata: Record<string, unknown>;
}

/** One answer that a run got from outside, or one deed it did; found by `key`, among alike ones in order. */
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

/** What readers of a run were told before it paused. */
export interface Told {
  /** Of the answer. */
  characters: number;
  /** Digests of the events other than tokens. */
  events: string[];
}

/** All that a run needs to go on from where it paused, as JSON. */
export interface PausedRun {
  version: 1;
  by: TapedBy;
  pending: PendingCall;
  entries: JournalEntry[];
  told: Told;
}

/** What lets a run go on: what a person decided, or what came of the call that the caller carried out. */
export type GoAhead = { decision: Decision } | { result: ToolResult };

/** A run that paused, with what it waited for. */
export type Resumption = GoAhead & {
  run: PausedRun;
  /** Called once, when the run has come to that call: from here on it acts. */
  reached?: () => void;
};
