import type { PlatformRunRequest, PlatformRunResult } from "../../../contracts/platform/runs/runs.ts";

export interface RunOrder {
  agent: string;
  /** The tenant's key at the platform. */
  apiKey: string;
  request: PlatformRunRequest;
  /** The same key is the same run, however often it is asked for. */
  idempotencyKey: string;
  /** Trace that begins with the message. */
  traceparent: string;
}

/** The platform's answer to one call. */
export type RunAnswer =
  | { kind: "answered"; result: PlatformRunResult }
  /** The run goes on. */
  | { kind: "running"; retryAfterMs: number }
  /** The run waits until a person decides on a call of it. */
  | { kind: "awaiting"; invocationId: string }
  | { kind: "refused"; status: number; code: string; retryAfterMs?: number | undefined }
  /** The platform was not reached, so nothing was recorded. */
  | { kind: "unreachable" }
  /** The call broke off after it may have been recorded. */
  | { kind: "broken" };

/** Runs agents on the platform. Rejects only if `signal` aborts. */
export interface AgentRuns {
  run(order: RunOrder, signal: AbortSignal): Promise<RunAnswer>;
}
