import type { LaterStop, RecordedError } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { Answer, Question } from "../../contracts/daemon/questions/question.ts";
import type { RunFence, Turn } from "../memory/conversation.ts";
import type { ModelRequest } from "../models/model.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolResult } from "../tools/tool.ts";

/** The agent that makes a request. Called agents share the caller's interceptor. */
export interface RequestedBy {
  agent: string;
  /** The role whose models are called; absent: the agent's own models. */
  role?: string;
}

export interface RequestedCall {
  tool: string;
  input: Record<string, unknown>;
}

/** A lookup before an answer: the source and the query. */
export interface RecallQuestion {
  of: "semantic" | "episodic" | "knowledge" | "summary";
  query: string;
}

/** A person's decision on a call, or on a question of its server. */
export interface InterceptorDecision {
  verdict: "approved" | "rejected";
  comment?: string;
  /** Values of an accepted question. */
  answer?: Answer;
  /** True if the person dismissed a question instead of declining it. */
  cancel?: true;
}

/** A call that waits for a person, or for the caller. */
export interface PendingCall {
  /** The agent whose model made the call: the requested agent or one that it called. */
  agent: string;
  tool: string;
  input: Record<string, unknown>;
  /** `result`: the caller has to carry out the call. Absent: a person has to decide on it. */
  awaits?: "result";
  /** What the tool's server asks the person about the call. Absent: whether to make the call. */
  question?: Question;
  /** Longest wait in milliseconds; absent: the limit of the installation. */
  waitMs?: number;
}

/** A call that the caller has to carry out. */
export type AwaitedCall = PendingCall & { awaits: "result" };

/** Error that stopped a run: during its last request (`stopped`) or later (`last`). */
export interface Stop {
  stopped?: RecordedError | undefined;
  last?: LaterStop | undefined;
}

/**
 * Sits between a run and everything that may answer differently next time. A recorder calls the real thing (`live`) and keeps the answer; a
 * replayer returns the kept answer; the journal of a pausable run does both. A run without an interceptor calls directly. `signal` belongs to
 * the run that asks: a result after its abort is not an answer. A recorder passes the number of the entry to `noted`.
 */
export interface Interceptor {
  model(
    by: RequestedBy,
    request: ModelRequest,
    live: () => AsyncIterable<RoutedEvent>,
    signal: AbortSignal,
    noted?: (seq: number) => void,
  ): AsyncIterable<RoutedEvent>;
  /** `isRepeatable`: making the call again changes nothing more; see `BoundTool.isRepeatable`. */
  tool(
    by: RequestedBy,
    call: RequestedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
    noted?: (seq: number) => void,
    isRepeatable?: boolean,
  ): Promise<ToolResult>;
  /** A tool that calls another agent. That agent's requests are recorded themselves, so a replay also runs `live`. */
  worker(
    by: RequestedBy,
    call: RequestedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
    noted?: (seq: number) => void,
  ): Promise<ToolResult>;
  /** Replayer only: the error that stopped the recorded run with this signal, once the run has reached its recorded end. */
  stopOf?(signal: AbortSignal): Stop | undefined;
  /** Turns that the conversation memory returned. */
  turns(by: RequestedBy, live: () => Promise<Turn[]>, signal: AbortSignal): Promise<Turn[]>;
  /** Items that another memory or the agent's documents returned, as plain JSON. */
  recalled<T extends object>(
    by: RequestedBy,
    question: RecallQuestion,
    live: () => Promise<T[]>,
    signal: AbortSignal,
  ): Promise<T[]>;
  /** The allowance of an agent, whose answers to each call are recorded. */
  budget(by: RequestedBy, live: Allowance | undefined): Allowance | undefined;
  now(by: RequestedBy, live: () => Date): Date;
  /** Journal only: the kept answer to this request, read instead of calling the model. */
  kept?(by: RequestedBy, request: ModelRequest): AsyncIterable<RoutedEvent> | undefined;
  /** Journal only: an allowance refused this request, before its call or before the call of its next candidate. */
  refused?(request: ModelRequest, thrown: unknown): void;
  /** Journal only: no tool has the name of this call. Ends a resumed run that had the tool before its pause. */
  missing?(by: RequestedBy, call: RequestedCall): void;
  /** Journal only: true until a resumed run reaches the call at which it paused. */
  readonly isPlaying?: boolean;
  /** Durable runs only: the id by which the run finds what it stored before it was interrupted. */
  readonly runId?: string | undefined;
  /** Of a durable run: by what a store refuses its writes once another process continues it. */
  readonly fence?: RunFence | undefined;
  /** Durable runs only: true if an earlier process began the run. */
  readonly isContinued?: boolean;
  /** Journal only: a person's decision on this call or question. Without a decision the run ends here. Absent: decisions are not available. */
  decision?(by: RequestedBy, call: PendingCall, signal: AbortSignal): Promise<InterceptorDecision>;
  /**
   * Journal only: the result of a call that the caller carries out. Until it is known, the run ends here. Absent: the caller can't carry
   * out calls.
   */
  answer?(by: RequestedBy, call: AwaitedCall, signal: AbortSignal): Promise<ToolResult>;
  /** Journal only: carries out an action once, however often the run is resumed. */
  once?(by: RequestedBy, deed: string, live: () => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Journal only: the tool with a rate limit that counts each call once. */
  limited?(by: RequestedBy, tool: BoundTool): BoundTool;
  random(by: RequestedBy, live: () => number): number;
  newId(by: RequestedBy, live: () => string): string;
}
