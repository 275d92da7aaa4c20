/**
 * Status of a run in metrics. After `awaiting_approval` a person has to decide, after `awaiting_tool_result` the caller has to carry out a
 * call; then the run resumes.
 */
export type RunStatus =
  | "ok"
  | "error"
  | "timeout"
  | "cancelled"
  | "blocked"
  | "awaiting_approval"
  | "awaiting_tool_result";

/** Events for metrics. No method may throw or wait. */
export interface RunObserver {
  runStarted(agent: string, sessionId: string): void;
  runFinished(run: {
    agent: string;
    sessionId: string;
    pattern: string;
    status: RunStatus;
    latencyMs: number;
    /** Latency minus the time spent waiting for models and tools. */
    overheadMs: number;
    inputTokens: number;
    outputTokens: number;
  }): void;
  /** `hasEffects`: the call was carried out, and may have left something outside the run. */
  toolExecuted(call: { tool: string; ok: boolean; latencyMs: number; hasEffects: boolean }): void;
  /** A run continued although a memory could not be read or written. */
  memoryFailed(fault: { memory: string; step: "recall" | "keep" }): void;
}
