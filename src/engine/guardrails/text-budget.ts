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
  return new CountedBudget(stepsMax, count);
}

class CountedBudget implements TextBudget {
  readonly #stepsMax: number;
  readonly #count: (steps: number) => boolean;
  #spent = 0;
  /** Created for the first result: most guardrails keep none. */
  #known: Map<string, { text: string; result: unknown }> | undefined;

  constructor(stepsMax: number, count: (steps: number) => boolean) {
    this.#stepsMax = stepsMax;
    this.#count = count;
  }

  get spent(): number {
    return this.#spent;
  }

  spend(steps: number): boolean {
    this.#spent += steps;
    const pauses = this.#count(steps);
    if (this.#spent > this.#stepsMax) throw new TextTooCostly();
    return pauses;
  }

  *once<T>(key: string, text: string, work: () => Work<T>): Work<T> {
    const before = this.#known?.get(key);
    if (before !== undefined && before.text === text) return before.result as T;
    const result = yield* work();
    this.#known ??= new Map();
    this.#known.set(key, { text, result });
    return result;
  }
}

/** A text up to this length is searched without a pause: it takes less than a millisecond. */
export const shortLength = 512;

/** Counts the steps for a short text; false if they are too many. The work in pieces then spends too much as well, and says so. */
export function isAffordable(budget: TextBudget, steps: number): boolean {
  try {
    budget.spend(steps);
    return true;
  } catch (thrown) {
    if (thrown instanceof TextTooCostly) return false;
    throw thrown;
  }
}
