import type { LaterStop, TapedError } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { AwaitedCall, Decision, PendingCall } from "../approvals/paused-run.ts";
import type { Turn } from "../memory/conversation.ts";
import type { ModelRequest } from "../models/model.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolResult } from "../tools/tool.ts";

/** The agent that makes a request. Called agents share the caller's tape. */
export interface TapedBy {
  agent: string;
  /** The role whose models are called; absent: the agent's own models. */
  role?: string;
}

export interface TapedCall {
  tool: string;
  input: Record<string, unknown>;
}

/** A lookup before an answer: the source and the query. */
export interface TapedQuestion {
  of: "semantic" | "episodic" | "knowledge" | "summary";
  query: string;
}

/** Error that stopped a run: during its last request (`stopped`) or later (`last`). */
export interface Stop {
  stopped?: TapedError | undefined;
  last?: LaterStop | undefined;
}

/**
 * Sits between a run and everything that may answer differently next time. A recorder calls the real thing (`live`) and keeps the answer; a
 * player returns the kept answer. A run without a tape calls directly. `signal` belongs to the run that asks: a result after its abort is
 * not an answer. A recorder passes the number of the entry to `noted`.
 */
export interface Tape {
  model(
    by: TapedBy,
    request: ModelRequest,
    live: () => AsyncIterable<RoutedEvent>,
    signal: AbortSignal,
    noted?: (seq: number) => void,
  ): AsyncIterable<RoutedEvent>;
  tool(
    by: TapedBy,
    call: TapedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
    noted?: (seq: number) => void,
  ): Promise<ToolResult>;
  /** A tool that calls another agent. That agent's requests are on the tape, so a replay also runs `live`. */
  worker(
    by: TapedBy,
    call: TapedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
    noted?: (seq: number) => void,
  ): Promise<ToolResult>;
  /** Player only: the error that stopped the recorded run with this signal, once the run has reached its recorded end. */
  stopOf?(signal: AbortSignal): Stop | undefined;
  /** Turns that the conversation memory returned. */
  turns(by: TapedBy, live: () => Promise<Turn[]>, signal: AbortSignal): Promise<Turn[]>;
  /** Items that another memory or the agent's documents returned, as plain JSON. */
  recalled<T extends object>(
    by: TapedBy,
    question: TapedQuestion,
    live: () => Promise<T[]>,
    signal: AbortSignal,
  ): Promise<T[]>;
  /** The allowance of an agent, whose answers to each call are on the tape. */
  budget(by: TapedBy, live: Allowance | undefined): Allowance | undefined;
  now(by: TapedBy, live: () => Date): Date;
  /** Journal only: the kept answer to this request, read instead of calling the model. */
  kept?(by: TapedBy, request: ModelRequest): AsyncIterable<RoutedEvent> | undefined;
  /** Journal only: a person's decision on this call. Without a decision the run ends here. Absent: decisions are not available. */
  decision?(by: TapedBy, call: PendingCall, signal: AbortSignal): Promise<Decision>;
  /**
   * Journal only: the result of a call that the caller carries out. Until it is known, the run ends here. Absent: the caller can't carry
   * out calls.
   */
  answer?(by: TapedBy, call: AwaitedCall, signal: AbortSignal): Promise<ToolResult>;
  /** Journal only: carries out an action once, however often the run is resumed. */
  once?(by: TapedBy, deed: string, live: () => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Journal only: the tool with a rate limit that counts each call once. */
  limited?(by: TapedBy, tool: BoundTool): BoundTool;
  random(by: TapedBy, live: () => number): number;
  newId(by: TapedBy, live: () => string): string;
}
