import type { RunResult } from "../../contracts/daemon/run.ts";
import type { FinishReason, Usage } from "../models/model.ts";
import type { RecordedTrace } from "../telemetry/trace.ts";

/** What a run yields, in order; `done` is the last. A run that fails throws an AppError instead of yielding it. */
export type RunEvent =
  | { type: "token"; content: string }
  | { type: "tool_call"; id: string; tool: string; input: Record<string, unknown> }
  | { type: "tool_result"; id: string; tool: string; ok: boolean; output: unknown }
  | { type: "step"; name: string; content: string }
  | { type: "handoff"; from: string; to: string; reason?: string }
  | { type: "guardrail"; guardrail: string; stage: "input" | "output"; outcome: string; hits: number }
  | {
      type: "done";
      result: RunResult;
      /** Undefined for a run inside another, whose trace holds its spans. */
      trace: RecordedTrace | undefined;
      /** Why the model ended its last answer, and the tokens of all calls, as surfaces of other vendors show them. */
      finish: FinishReason;
      usage: Usage;
    };
