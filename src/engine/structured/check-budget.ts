/** Thrown inside a check that exceeds the limit for one answer. */
export class CheckTooLong extends Error {}

/** Maximum steps for checking one answer, about a tenth of a second. A schema can require exponentially many steps. */
const stepsMax = 1_000_000;
/** Steps for serializing an object, including sorting its keys. */
const stepsOfWriting = 40;
/** Maximum product of pattern steps and characters, which are cheaper than other steps. */
const matchingMax = 10_000_000;

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

  /** A schema of `weight` entries is asked about a value. */
  spend(weight: number, value: unknown): void {
    this.#steps -= weight + widthOf(value);
    if (this.#steps < 0) throw new CheckTooLong();
  }

  /** Counts serializing a value, which takes longer than reading it. */
  spendWriting(text: string): void {
    this.#steps -= stepsOfWriting + (text.length >>> 2);
    if (this.#steps < 0) throw new CheckTooLong();
  }

  /** Counts matching a pattern of `patternSteps` against a text. */
  spendMatching(patternSteps: number, text: string): void {
    this.#matching -= patternSteps * (text.length + 1);
    if (this.#matching < 0) throw new CheckTooLong();
  }
}

/** Additional steps for a large value, without the values inside. */
function widthOf(value: unknown): number {
  if (typeof value === "string") return value.length >>> 6;
  if (Array.isArray(value)) return value.length >>> 3;
  return typeof value === "object" && value !== null ? Object.keys(value).length >>> 3 : 0;
}
