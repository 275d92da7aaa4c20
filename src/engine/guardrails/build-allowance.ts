/** Limit on the steps, of about 10 ns each, for building all guardrails of a stage. */
const buildStepsMax = 4_000_000;

/** Steps for one word of a phrase and for one instruction of a pattern. */
export const wordSteps = 100;
export const instructionSteps = 140;

/** Thrown if the guardrails of a stage look for more than one agent may. */
export class BeyondAllowance extends Error {
  override readonly message =
    "goes beyond what the guardrails of one agent may look for; use fewer or shorter patterns and phrases";
}

/** Limit on the work of building the guardrails of one stage. */
export interface BuildAllowance {
  /** Counts steps. Throws BeyondAllowance above the limit. */
  spend(steps: number): void;
}

export function createBuildAllowance(): BuildAllowance {
  let left = buildStepsMax;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0) throw new BeyondAllowance();
    },
  };
}

/** For built-in lists. */
export const unlimitedAllowance: BuildAllowance = { spend() {} };
