/**
 * How a run ended, as metrics count it; `awaiting_approval` is one that goes on when a person has decided, `awaiting_tool_result`
 * when its caller has carried a call out.
 */
export type RunStatus =
  | "ok"
  | "error"
  | "timeout"
  | "cancelled"
  | "blocked"
  | "awaiting_approval"
  | "awaiting_tool_result";

/** What the engine tells whoever counts: one call per fact, none of which may throw or wait. */
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
  toolExecuted(call: { tool: string; ok: boolean; latencyMs: number }): void;
  /** A run went on without a memory that could not be read, or not be written. */
  memoryFailed(fault: { memory: string; step: "recall" | "keep" }): void;
}
