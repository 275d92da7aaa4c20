import { countSteps } from "../../kit/concurrency/others-turn.ts";

/** Limit on the steps for building all guardrails of an agent. */
const buildStepsMax = 4_000_000;

/** A step of building takes about 40 ns, and a counted one 10 to 20. */
const countedPerStep = 3;

/** Steps for reading a character of a phrase. */
export const characterSteps = 8;

/** Steps for one word of a phrase and for one instruction of a pattern. */
export const wordSteps = 100;
export const instructionSteps = 140;

/** Thrown if the guardrails of an agent look for more than one agent may. */
export class BeyondAllowance extends Error {
  override readonly message =
    "goes beyond what the guardrails of one agent may look for; use fewer or shorter patterns and phrases";
}

/** Limit on the work of building the guardrails of one agent. */
export interface BuildAllowance {
  /** Counts steps. True: the work pauses, so that others get a turn. Throws BeyondAllowance above the limit. */
  spend(steps: number): boolean;
}

/** `count` receives all counted steps and returns true for a pause; by default they count in this pass of the event loop. */
export function createBuildAllowance(count: (steps: number) => boolean = countSteps): BuildAllowance {
  let left = buildStepsMax;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0) throw new BeyondAllowance();
      return count(steps * countedPerStep);
    },
  };
}

/** For built-in lists. */
export const unlimitedAllowance: BuildAllowance = { spend: () => false };
