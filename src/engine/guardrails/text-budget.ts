import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";

/** Maximum steps of all guardrails of a stage for one text: one to two seconds of one core. */
export const textStepsMax = 100_000_000;

/** Thrown if a text takes more work than one text may. */
export class TextTooCostly extends Error {}

/** Limit on the work of the guardrails of one stage for one text. */
export interface TextBudget {
  /** Counts completed steps. Returns true if the work should pause. Throws TextTooCostly above the limit. */
  spend(steps: number): boolean;
  /** Steps counted so far. */
  readonly spent: number;
  /** Reuses the last result of `key` if the text is the same; otherwise does the work. */
  once<T>(key: string, text: string, work: () => Work<T>): Work<T>;
}

export interface TextBudgetOptions {
  /** Default: `textStepsMax`. */
  stepsMax?: number;
  /** Counts steps and returns true if the work should pause; default: the event loop's counter. */
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
