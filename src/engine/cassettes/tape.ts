import type { Turn } from "../memory/conversation.ts";
import type { ModelRequest } from "../models/model.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { Allowance } from "../spending/allowance.ts";
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

/**
 * Stands between a run and everything that may answer differently the next time. A recorder asks the real thing (`live`)
 * and keeps the answer; a player gives the kept answer. A run without a tape asks directly. `signal` is that of the run that
 * asks: what comes after it has aborted is no answer of the thing asked.
 */
export interface Tape {
  model(
    by: TapedBy,
    request: ModelRequest,
    live: () => AsyncIterable<RoutedEvent>,
    signal: AbortSignal,
  ): AsyncIterable<RoutedEvent>;
  tool(
    by: TapedBy,
    call: TapedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
  ): Promise<ToolResult>;
  /** A tool that lets another agent work: what that agent asks for is on the tape itself, so `live` is run in a replay too. */
  worker(by: TapedBy, call: TapedCall, live: () => Promise<ToolResult>): Promise<ToolResult>;
  /** What memory showed of the conversation. */
  turns(by: TapedBy, live: () => Promise<Turn[]>, signal: AbortSignal): Promise<Turn[]>;
  /** What an agent's budget says to each of its calls. */
  budget(by: TapedBy, live: Allowance | undefined): Allowance | undefined;
  now(by: TapedBy, live: () => Date): Date;
  random(by: TapedBy, live: () => number): number;
  newId(by: TapedBy, live: () => string): string;
}
