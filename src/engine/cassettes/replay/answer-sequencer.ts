import { endOfTurn } from "../../../kit/concurrency/others-turn.ts";
/**
 * Releases recorded answers one at a time in their recorded order, so that concurrent work proceeds in the same order. An answer never
 * waits for one that is not requested.
 */
export class AnswerSequencer {
  readonly #waiting: { place: number; pass: () => void }[] = [];
  #isTurning = false;
  #passed = 0;

  /** Number of answers released so far, for detecting activity. */
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
