import { compareTexts } from "../compare-texts.ts";

/** Collects the smallest ids after a given one from an unsorted sequence: for servers that don't sort. */
export class SmallestIds {
  readonly #limit: number;
  readonly #after: string | undefined;
  #ids: string[] = [];

  constructor(limit: number, after: string | undefined) {
    this.#limit = Math.floor(limit);
    this.#after = after;
  }

  add(id: string): void {
    if (this.#after !== undefined && compareTexts(id, this.#after) <= 0) return;
    this.#ids.push(id);
    if (this.#ids.length > 2 * this.#limit + 1000) this.#ids = this.sorted();
  }

  /** At most `limit` ids, sorted. */
  sorted(): string[] {
    return [...new Set(this.#ids)].sort(compareTexts).slice(0, this.#limit);
  }
}
