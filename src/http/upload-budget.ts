import { AppError } from "../kit/app-error.ts";

/** Bounds the bytes of files that are in memory at once, whoever sends them. */
export class UploadBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Room for so many bytes, until the function is called that it gives (again does nothing); `too_busy` when there is none. */
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
