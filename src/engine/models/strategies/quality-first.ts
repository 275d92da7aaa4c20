import type { Strategy } from "./strategy.ts";

/** Keeps the declared order: the agent's author knows which model is best. */
export const qualityFirst: Strategy = (candidates) => candidates;
