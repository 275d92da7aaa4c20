/** Thrown inside a check that has used up what one answer may take. */
export class CheckTooLong extends Error {}

/** What checking one answer may take: about a tenth of a second. A schema can ask for exponentially many steps. */
const stepsMax = 1_000_000;
/** Making a text of an object takes so much, with sorting its keys. */
const stepsOfWriting = 30;
/** Steps of patterns times characters; of these a second has more. */
const matchingMax = 10_000_000;

/** Counts the work of one check at a time; the check is given up when it is too much. */
export class CheckBudget {
  #steps = 0;
  #matching = 0;

  /** Begins another check. */
  refill(): void {
    this.#steps = stepsMax;
    this.#matching = matchingMax;
  }

  /** What this check has used so far. */
  get spent(): number {
    return stepsMax - this.#steps + Math.floor((matchingMax - this.#matching) / (matchingMax / stepsMax));
  }

  /** A schema of `weight` entries is asked about a value. */
  spend(weight: number, value: unknown): void {
    this.#steps -= weight + widthOf(value);
    if (this.#steps < 0) throw new CheckTooLong();
  }

  /** A text has been made of a value, which takes longer than looking at one. */
  spendWriting(text: string): void {
    this.#steps -= stepsOfWriting + (text.length >>> 2);
    if (this.#steps < 0) throw new CheckTooLong();
  }

  /** A pattern of so many steps is matched against a text. */
  spendMatching(patternSteps: number, text: string): void {
    this.#matching -= patternSteps * (text.length + 1);
    if (this.#matching < 0) throw new CheckTooLong();
  }
}

/** What a schema may look through in a value, the values inside aside. */
function widthOf(value: unknown): number {
  if (typeof value === "string") return value.length >>> 6;
  if (Array.isArray(value)) return value.length >>> 3;
  return typeof value === "object" && value !== null ? Object.keys(value).length >>> 3 : 0;
}
