import type { ChannelFeedbackGiven } from "../../../contracts/daemon/runs/feedback.ts";

/** Users' verdict on a run, for the platform that keeps the run. */
export interface VerdictOrder {
  /** The tenant's key at the platform. */
  apiKey: string;
  invocationId: string;
  /** Undefined to delete the verdict that the run has. */
  given: ChannelFeedbackGiven | undefined;
}

/**
 * The platform's answer. `unknown`: the tenant has no such run; `refused`: it will refuse the verdict each time; `unreachable`: it may take
 * it later.
 */
export type VerdictAnswer = "kept" | "unknown" | "refused" | "unreachable";

/** Hands users' verdicts on runs to the platform. Rejects only if `signal` aborts. */
export interface RunVerdicts {
  judge(order: VerdictOrder, signal: AbortSignal): Promise<VerdictAnswer>;
}
