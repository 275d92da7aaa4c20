/**
 * Hard limits from whoever started a run; what is absent is bounded by the agent alone. Everything the run starts, such as
 * sub-agents and the links of a chain, shares them.
 */
export interface RunLimits {
  /** Tokens of all model calls together. */
  totalTokens?: number;
  /** Tokens that one model call may answer with. */
  callTokens?: number;
  /** Model calls of an orchestration loop. */
  iterations?: number;
  /** Milliseconds from the start of the run. */
  timeoutMs?: number;
}
