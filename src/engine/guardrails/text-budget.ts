import { countSteps, type Work } from "../../kit/others-turn.ts";

/** Steps that all guardrails of a stage may take for one text: one to two seconds of one core. */
export const textStepsMax = 100_000_000;

/** Thrown when a text takes more work than one text may. */
export class TextTooCostly extends Error {}

/** The work that the guardrails of one stage share for one text. */
export interface TextBudget {
  /** Counts steps that were done. True: the work pauses here. Throws TextTooCostly above the limit. */
  spend(steps: number): boolean;
  /** Steps that were counted. */
  readonly spent: number;
  /** Does the same work for the same text only once; `key` names the work. */
  once<T>(key: string, text: string, work: () => Work<T>): Work<T>;
}

export interface TextBudgetOptions {
  /** Default `textStepsMax`. */
  stepsMax?: number;
  /** Counts steps and tells whether the work pauses; by default the event loop's own count. */
  count?: (steps: number) => boolean;
}

export function createTextBudget({
  stepsMax = textStepsMax,
  count = countSteps,
}: TextBudgetOptions = {}): TextBudget {
  let spent = 0;
  const known = new Map<string, { text: string; result: unknown }>();
  return {
    spend(steps) {
      spent += steps;
      const pauses = count(steps);
      if (spent > stepsMax) throw new TextTooCostly();
      return pauses;
    },
    get spent() {
      return spent;
    },
    *once<T>(key: string, text: string, work: () => Work<T>) {
      const before = known.get(key);
      if (before !== undefined && before.text === text) return before.result as T;
      const result = yield* work();
      known.set(key, { text, result });
      return result;
    },
  };
}
