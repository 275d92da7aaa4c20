import { AppError } from "../../kit/app-error.ts";

/** Characters that models and tools may give one run. Every collector of a run holds parts of these. */
export const heldCharsMax = 32 * 1024 * 1024;

/**
 * Counts what models and tools have given a run and the runs inside it: conversations, results, proposals, recordings and traces hold it until
 * the run ends. One answer is bounded as well, but a run may ask for many.
 */
export class HeldText {
  #left = heldCharsMax;

  /** Throws AppError `run_too_large` if the run would hold too much with these characters. */
  take(chars: number): void {
    this.#left -= chars;
    if (this.#left >= 0) return;
    throw new AppError(
      "unprocessable",
      "run_too_large",
      `The answers of models and tools in this run have more than ${heldCharsMax} characters.`,
      { details: { hint: "Let the tools return less, or lower max_tokens or max_iterations." } },
    );
  }
}
