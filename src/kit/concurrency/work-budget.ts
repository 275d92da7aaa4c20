import { countSteps } from "./others-turn.ts";

/** Thrown if work takes more steps than it may. */
export class WorkTooCostly extends Error {}

/** One allowance for all work on a document or a text. */
export interface WorkBudget {
  /** Counts steps. Returns true if the work should pause. Throws WorkTooCostly above the limit. */
  spend(steps: number): boolean;
}

/** Creates an allowance of steps as `countSteps` counts them: 50 to 100 million take a second. */
export function createWorkBudget(stepsMax: number): WorkBudget {
  let left = stepsMax;
  return {
    spend(steps) {
      left -= steps;
      const pauses = countSteps(steps);
      if (left < 0) throw new WorkTooCostly();
      return pauses;
    },
  };
}
