import type { RunResult } from "../../contracts/daemon/runs/run.ts";
import type { FinishReason, Usage } from "../models/model.ts";
import type { RecordedTrace } from "../telemetry/trace.ts";

/**
 * Events of a run in order; `done` is the last. A failed run throws an AppError instead of yielding it. `tokens` are tokens that arrived
 * together, for a request with `bundles`.
 */
export type RunEvent =
  | { type: "token"; content: string }
  | { type: "tokens"; contents: readonly string[] }
  | { type: "tool_call"; id: string; tool: string; input: Record<string, unknown> }
  | { type: "tool_result"; id: string; tool: string; ok: boolean; output: unknown }
  | { type: "step"; name: string; content: string }
  | { type: "handoff"; from: string; to: string; reason?: string }
  | { type: "guardrail"; guardrail: string; stage: "input" | "output"; outcome: string; hits: number }
  | {
      type: "done";
      result: RunResult;
      /** Undefined for a nested run, whose spans belong to its parent's trace. */
      trace: RecordedTrace | undefined;
      /** Why the last model answer ended, and the tokens of all calls, for APIs compatible with other vendors. */
      finish: FinishReason;
      usage: Usage;
      /** Cost of all calls, those of nested runs included, in micros of USD; null if the price of one is unknown. */
      costMicros: number | null;
    };
