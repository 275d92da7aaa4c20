import type { RunResult } from "../../contracts/daemon/run.ts";

/** What a run yields, in order; `done` is the last. A run that fails throws an AppError instead of yielding it. */
export type RunEvent =
  | { type: "token"; content: string }
  | { type: "tool_call"; id: string; tool: string; input: Record<string, unknown> }
  | { type: "tool_result"; id: string; tool: string; ok: boolean; output: unknown }
  | { type: "step"; name: string; content: string }
  | { type: "guardrail"; guardrail: string; stage: "input" | "output"; outcome: string; hits: number }
  | { type: "done"; result: RunResult };
