import type { CanaryFigures } from "../../../evals/canary/judge-canary.ts";

/** A step of a canary. `by`: absent if the canary's own verdict decided. */
export type CanaryLine = { fingerprint: string; at: string } & (
  | { event: "canary_started"; baseline: string; percent: number }
  | { event: "canary_judged"; look: number; reasons: string[]; figures: CanaryFigures }
  | { event: "canary_promoted"; reasons: string[]; figures: CanaryFigures; by?: "owner" }
  | { event: "canary_returned"; reasons: string[]; figures: CanaryFigures; by?: "owner" }
  | { event: "canary_withdrawn" }
);

/** Steps of the agents' canaries, kept for the next start and for audits. */
export interface CanaryJournal {
  /** Steps of the newest canary of an agent, or of the newest one with this version. */
  canaryOf(agent: string, fingerprint?: string): CanaryLine[];
  step(agent: string, line: CanaryLine): void;
}
