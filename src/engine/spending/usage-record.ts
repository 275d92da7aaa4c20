/** One model call of a run, as costs are counted. */
export interface UsageRecord {
  tenant: string;
  agent: string;
  sessionId: string;
  provider: string;
  model: string;
  /** In which role; absent: the agent's own. */
  role?: string;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  writtenTokens?: number;
  /** Whether the tokens were counted by us because the provider reported none. */
  estimated: boolean;
  /** Micros of USD; null when the model's price is not known. */
  costMicros: number | null;
  latencyMs: number;
  pattern: string;
  at: Date;
}

/** Takes what a finished run has used. Never throws and never waits. */
export interface UsageSink {
  record(records: readonly UsageRecord[]): void;
}
