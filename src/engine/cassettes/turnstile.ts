/** Lets what is at hand run as far as it comes. */
const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Lets recorded answers through one at a time, in the order in which they had come: what works at once in a run then goes on
 * in the same order as it did. An answer is never kept waiting for one that nobody asks for.
 */
export class Turnstile {
  readonly #waiting: { place: number; pass: () => void }[] = [];
  #isTurning = false;
  #passed = 0;

  /** How many have passed, for whoever watches whether anything goes on. */
  get passed(): number {
    return this.#passed;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves when it is the turn of `place`. */
  async pass(place: number): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push({ place, pass: turn.resolve });
    if (!this.#isTurning) {
      this.#isTurning = true;
      void this.#turn();
    }
    await turn.promise;
  }

  async #turn(): Promise<void> {
    while (this.#waiting.length > 0) {
      await endOfTurn();
      this.#waiting.sort((a, b) => a.place - b.place);
      this.#passed++;
      this.#waiting.shift()?.pass();
    }
    this.#isTurning = false;
  }
}
