import type { Turn } from "../memory/conversation.ts";
import type { ModelRequest } from "../models/model.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { ToolResult } from "../tools/tool.ts";

/** Whose answer is asked for: agents below the first one share its tape. */
export interface TapedBy {
  agent: string;
  /** The role whose models are asked; absent: the agent's own. */
  role?: string;
}

/**
 * Stands between a run and everything that may answer differently the next time. A recorder asks the real thing (`live`)
 * and keeps the answer; a player gives the kept answer. A run without a tape asks directly.
 */
export interface Tape {
  model(
    by: TapedBy,
    request: ModelRequest,
    live: () => AsyncIterable<RoutedEvent>,
  ): AsyncIterable<RoutedEvent>;
  tool(
    by: TapedBy,
    call: { tool: string; input: Record<string, unknown> },
    live: () => Promise<ToolResult>,
  ): Promise<ToolResult>;
  /** What memory showed of the conversation. */
  turns(by: TapedBy, live: () => Promise<Turn[]>): Promise<Turn[]>;
  now(live: () => Date): Date;
  random(live: () => number): number;
  newId(live: () => string): string;
}
