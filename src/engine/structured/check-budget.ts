import { isRecord } from "../../kit/json/is-record.ts";

/** Thrown inside a check that exceeds the limit for one answer. */
export class CheckTooLong extends Error {}

/** Maximum steps for checking one answer, about a tenth of a second. A schema can require exponentially many steps. */
const stepsMax = 1_000_000;
/** Steps for a schema and a value: the code of a large schema is not compiled to machine code, and takes half a microsecond for each. */
const stepsOfEvaluation = 8;
/** Steps for serializing an object, including sorting its keys. */
const stepsOfWriting = 40;
/** Steps for comparing an item of a list with the others. */
const stepsOfItem = 4;
/** Steps for a problem, and the number of earlier ones that are copied in a step when it is added. */
const stepsOfProblem = 20;
const copiedInStep = 4;
/** Maximum product of pattern steps and characters, which are cheaper than other steps. */
const matchingMax = 5_000_000;

/** Counts the work of one check at a time and aborts the check if it is too much. */
export class CheckBudget {
  #steps = 0;
  #matching = 0;

  /** Starts another check. */
  refill(): void {
    this.#steps = stepsMax;
    this.#matching = matchingMax;
  }

  /** Work that this check has used so far. */
  get spent(): number {
    return stepsMax - this.#steps + Math.floor((matchingMax - this.#matching) / (matchingMax / stepsMax));
  }

  /** A schema of `weight` entries is asked about a value, and spends `perKey` on each key of an object. */
  spend(weight: number, value: unknown, perKey = 0): void {
    const ofKeys = perKey > 0 && isRecord(value) ? perKey * Object.keys(value).length : 0;
    this.#take(stepsOfEvaluation + weight + widthOf(value) + ofKeys);
  }

  /** Counts the problems that a schema found, of which there are `all` now. */
  spendProblems(found: number, all: number): void {
    if (found > 0) this.#take(found * stepsOfProblem + Math.floor(all / copiedInStep));
  }

  /** Counts comparing the items of a list with each other. */
  spendItems(items: readonly unknown[]): void {
    this.#take(items.length * stepsOfItem);
  }

  /** Counts serializing a value, which takes longer than reading it. */
  spendWriting(text: string): void {
    this.#take(stepsOfWriting + (text.length >>> 2));
  }

  /** Counts matching a pattern of `patternSteps` against a text. */
  spendMatching(patternSteps: number, text: string): void {
    this.#take(stepsOfEvaluation);
    this.#matching -= patternSteps * (text.length + 1);
    if (this.#matching < 0) throw new CheckTooLong();
  }

  #take(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new CheckTooLong();
  }
}

/** Additional steps for a large value, without the values inside. */
function widthOf(value: unknown): number {
  if (typeof value === "string") return value.length >>> 4;
  if (Array.isArray(value)) return value.length >>> 3;
  return typeof value === "object" && value !== null ? Object.keys(value).length >>> 3 : 0;
}
