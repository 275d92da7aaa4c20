import { AppError } from "../../../kit/app-error.ts";

/** Limits the total size of files in memory, over all requests. */
export class UploadBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Reserves this many bytes and returns a function that releases them; calling it again does nothing. Throws `too_busy` if there is no
   * room.
   */
  take(bytes: number): () => void {
    if (this.#bytes + bytes > this.#bytesMax) {
      throw new AppError("unavailable", "too_busy", "Too many files are being read; try again in a moment.", {
        details: { retryAfterSeconds: 2 },
      });
    }
    this.#bytes += bytes;
    let held = bytes;
    return () => {
      this.#bytes -= held;
      held = 0;
    };
  }
}
