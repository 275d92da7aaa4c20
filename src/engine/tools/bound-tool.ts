import type { RateLimit } from "./rate-limit.ts";
import type { Tool } from "./tool.ts";

/** Reads an input by the tool's schema: the input with defaults filled in, or what is wrong with it in plain words. */
export type ReadInput = (input: unknown) => { input: Record<string, unknown> } | { fault: string };

/** A tool with the limits of its entry, ready for `executeTool`. */
export interface BoundTool {
  tool: Tool;
  read: ReadInput;
  timeoutMs: number;
  rateLimit?: RateLimit;
  /** Whether calls are recorded as proposals instead of being executed (`mode: propose`). */
  proposes?: boolean;
  /** `type: agent`: the agent that does the work. */
  worker?: string;
}
