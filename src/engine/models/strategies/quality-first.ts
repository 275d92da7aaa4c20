import type { Strategy } from "./strategy.ts";

/** The declared order: whoever wrote the agent knows which model is best. */
export const qualityFirst: Strategy = (candidates) => candidates;
