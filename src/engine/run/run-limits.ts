/**
 * Hard limits set by the caller of a run; for absent ones only the agent's limits apply. Everything the run starts, such as sub-agents and
 * chain links, shares them.
 */
export interface RunLimits {
  /** Tokens of all model calls together. */
  totalTokens?: number;
  /** Answer tokens of one model call. */
  callTokens?: number;
  /** Model calls of an orchestration loop. */
  iterations?: number;
  /** Milliseconds from the start of the run. */
  timeoutMs?: number;
}
