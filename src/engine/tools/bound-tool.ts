import type { RateLimit } from "./rate-limit.ts";
import type { Tool, ToolContext } from "./tool.ts";

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
  /** Whether a person has to approve each call. */
  requiresApproval?: boolean;
  /** `type: client`: that the caller carries the calls out, and how long it may take. */
  byCaller?: { waitMs?: number };
  /** `type: agent`: the agent that does the work. */
  worker?: string;
  /** Whether it asks the models of the agent that calls it. */
  asksModel?: boolean;
  /** `type: agent`: what its entry says of itself, for a swarm to make a hand-off of. */
  handOff?: HandOffTerms;
}

/** An agent tool's entry as far as it speaks; what it leaves out a swarm says in its own words. */
export interface HandOffTerms {
  description?: string;
  parameters?: Record<string, unknown>;
  /** Of `context_transform`: what the agent that takes over is told. May throw AppError. */
  brief?: (input: Record<string, unknown>, context: ToolContext) => string | Promise<string>;
}

/** Whether its calls use models: what those say is on a tape itself, and their tokens count into the limits. */
export function letsModelsWork({ worker, asksModel }: BoundTool): boolean {
  return worker !== undefined || asksModel === true;
}

/** Whether a run waits until its caller has carried a call of it out; one that only proposes never does. */
export function waitsForCaller({ byCaller, proposes }: BoundTool): boolean {
  return byCaller !== undefined && proposes !== true;
}
