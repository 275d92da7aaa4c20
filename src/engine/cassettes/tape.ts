import type { LaterStop, TapedError } from "../../contracts/daemon/cassette-file.ts";
import type { AwaitedCall, Decision, PendingCall } from "../approvals/paused-run.ts";
import type { Turn } from "../memory/conversation.ts";
import type { ModelRequest } from "../models/model.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolResult } from "../tools/tool.ts";

/** Whose answer is asked for: agents below the first one share its tape. */
export interface TapedBy {
  agent: string;
  /** The role whose models are asked; absent: the agent's own. */
  role?: string;
}

export interface TapedCall {
  tool: string;
  input: Record<string, unknown>;
}

/** What is looked into before an answer, and what for. */
export interface TapedQuestion {
  of: "semantic" | "episodic" | "knowledge" | "summary";
  query: string;
}

/** What stopped a run: while it was answered for the last time (`stopped`), or some time after that (`last`). */
export interface Stop {
  stopped?: TapedError | undefined;
  last?: LaterStop | undefined;
}

/**
 * Stands between a run and everything that may answer differently the next time. A recorder asks the real thing (`live`)
 * and keeps the answer; a player gives the kept answer. A run without a tape asks directly. `signal` is that of the run that
 * asks: what comes after it has aborted is no answer of the thing asked. A recorder tells `noted` the number of the entry.
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
  /** A tool that lets another agent work: what that agent asks for is on the tape itself, so `live` is run in a replay too. */
  worker(
    by: TapedBy,
    call: TapedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
    noted?: (seq: number) => void,
  ): Promise<ToolResult>;
  /** A player: what stopped the recorded run that asks by this signal, once it has come to its end. */
  stopOf?(signal: AbortSignal): Stop | undefined;
  /** What memory showed of the conversation. */
  turns(by: TapedBy, live: () => Promise<Turn[]>, signal: AbortSignal): Promise<Turn[]>;
  /** What another memory, or the agent's documents, showed: plain JSON. */
  recalled<T extends object>(
    by: TapedBy,
    question: TapedQuestion,
    live: () => Promise<T[]>,
    signal: AbortSignal,
  ): Promise<T[]>;
  /** What an agent's budget says to each of its calls. */
  budget(by: TapedBy, live: Allowance | undefined): Allowance | undefined;
  now(by: TapedBy, live: () => Date): Date;
  /** A journal: the answer to this request that it keeps, to be read in place of asking. */
  kept?(by: TapedBy, request: ModelRequest): AsyncIterable<RoutedEvent> | undefined;
  /** A journal: what a person decided on this call; without a decision the run ends here. Absent: nobody can be asked. */
  decision?(by: TapedBy, call: PendingCall, signal: AbortSignal): Promise<Decision>;
  /** A journal: what came of a call that the caller carries out; until it is known the run ends here. Absent: no caller can. */
  answer?(by: TapedBy, call: AwaitedCall, signal: AbortSignal): Promise<ToolResult>;
  /** A journal: does what a run may do only once, however often it is run. */
  once?(by: TapedBy, deed: string, live: () => Promise<void>, signal: AbortSignal): Promise<void>;
  /** A journal: the tool with a rate limit that counts a call once. */
  limited?(by: TapedBy, tool: BoundTool): BoundTool;
  random(by: TapedBy, live: () => number): number;
  newId(by: TapedBy, live: () => string): string;
}
