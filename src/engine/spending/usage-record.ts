import type { RunSource } from "../../contracts/daemon/runs/run-sources.ts";

/** One model call of a run, as costs are counted. */
export interface UsageRecord {
  tenant: string;
  agent: string;
  sessionId: string;
  provider: string;
  model: string;
  /** Role of the call; absent: the agent's own models. */
  role?: string;
  /** Source of the run; absent: production. */
  source?: RunSource;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  writtenTokens?: number;
  /** True if the provider reported no tokens and they are estimated. */
  estimated: boolean;
  /** Micros of USD; null if the model's price is unknown. */
  costMicros: number | null;
  /** True if tokens and cost are differences from an earlier record of the same call, which may be negative. */
  corrects?: true;
  latencyMs: number;
  pattern: string;
  at: Date;
}

/** Records the usage of a finished run. Never throws and never waits. */
export interface UsageSink {
  record(records: readonly UsageRecord[]): void;
}
