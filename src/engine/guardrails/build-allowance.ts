/** Steps, of about 10 ns each, that building all guardrails of an agent may take. */
const buildStepsMax = 4_000_000;

/** Steps of reading one word of a phrase, and of one instruction of a pattern. */
export const wordSteps = 100;
export const instructionSteps = 140;

/** Thrown when the guardrails of an agent look for more than they may. */
export class BeyondAllowance extends Error {
  override readonly message =
    "goes beyond what the guardrails of one agent may look for; use fewer or shorter patterns and phrases";
}

/** The work of building that the guardrails of one agent share. */
export interface BuildAllowance {
  /** Counts steps. Throws BeyondAllowance. */
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

/** For lists that are part of the product. */
export const unlimitedAllowance: BuildAllowance = { spend() {} };
