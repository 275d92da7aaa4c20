import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { ToolRateLimit } from "./rate-limit.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** A valid input with defaults filled in, or a description of the problem. */
export type InputRead = { input: Record<string, unknown> } | { fault: string };

/** Validates an input, in pieces. */
export type ReadInput = (input: unknown) => Work<InputRead>;

/** Validates by a function that takes little time, since it looks at a bounded number of values. */
export function readQuickly(read: (input: unknown) => InputRead): ReadInput {
  // biome-ignore lint/correctness/useYield: it is one piece.
  return function* (input) {
    return read(input);
  };
}

/** A tool with the limits of its entry, for `executeTool`. */
export interface BoundTool {
  tool: Tool;
  read: ReadInput;
  timeoutMs: number;
  rateLimit?: ToolRateLimit;
  /** True if calls are recorded as proposals instead of being executed (`mode: propose`). */
  proposes?: boolean;
  /** True if a person has to approve each call. */
  requiresApproval?: boolean;
  /** `type: client`: the caller carries out the calls; `waitMs` is its time limit. */
  byCaller?: { waitMs?: number };
  /** `type: agent`: name of the called agent. */
  worker?: string;
  /** True if it uses the models of the calling agent. */
  asksModel?: boolean;
  /** True if a call leaves nothing outside the run: it only reads or computes, or what it leaves is known otherwise. */
  hasNoEffects?: boolean;
  /**
   * Returns true if a call may be made again after a crash: it only reads, or its server recognizes the repetition. Absent: it may have
   * changed something, and is never repeated.
   */
  isRepeatable?: (input: Record<string, unknown>) => boolean;
  /** `type: agent`: texts of its entry, for the hand-off in a swarm. */
  handOff?: HandOffTerms;
}

/** Texts of an agent tool's entry; a swarm has defaults for absent ones. */
export interface HandOffTerms {
  description?: string;
  parameters?: Record<string, unknown>;
  /** Renders `context_transform`: the information for the next agent. May throw AppError. */
  brief?: (input: Record<string, unknown>, context: ToolContext) => string | Promise<string>;
}

/** Returns true if its calls use models. Their answers are recorded themselves, and their tokens count toward the limits. */
export function letsModelsWork({ worker, asksModel }: BoundTool): boolean {
  return worker !== undefined || asksModel === true;
}

/** Returns true if a run waits for its caller to carry out a call. Never true for a tool that only proposes. */
export function waitsForCaller({ byCaller, proposes }: BoundTool): boolean {
  return byCaller !== undefined && proposes !== true;
}
