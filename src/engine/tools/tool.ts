import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";

/** What a tool may know about the run that calls it. Secrets and connections never stand in here. */
export interface ToolContext {
  tenant: string;
  agent: string;
  sessionId: string;
  /** Aborts when the run is cancelled or its deadline passes; a tool must stop then. */
  signal: AbortSignal;
  clock: Clock;
  log: Logger;
}

/** Every tool answers with this; a failure is a value, never an exception. `data` must be JSON. */
export type ToolResult = { success: true; data: unknown } | { success: false; error: string };

/** A tool bound to its configuration, ready to be called by a run or directly. */
export interface Tool {
  name: string;
  /** builtin, internal, webhook, mcp, rag, agent, client */
  type: string;
  description: string;
  /** JSON Schema of the input object (function-calling format). */
  parameters: Record<string, unknown>;
  /** Runs with an input that `parameters` accepts. May throw: `executeTool` turns that into a failed result. */
  execute(input: Record<string, unknown>, context: ToolContext): Promise<ToolResult>;
}
