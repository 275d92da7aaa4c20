import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { TextBudget } from "./text-budget.ts";

/** Called for a certain match `[start, end)` in UTF-16 units. It became certain when the text was read up to `at`. */
export type Cover = (start: number, end: number, at: number, label: string) => void;

/** Searches a text that arrives in pieces of whole characters. The result does not depend on the pieces. */
export interface Scanner {
  /** Steps of opening it. */
  readonly openingSteps: number;
  /** Reads a piece and returns the steps taken. */
  read(piece: string): number;
  /** The text is complete. Returns the steps taken. */
  end(): number;
  /** Start of the text read so far that may still become a match or a longer match. */
  readonly undecidedFrom: number;
}

/** Bounds of the characters that a scanner reads at once, and the number of steps above which the next slice is shorter. */
const sliceMin = 16;
const sliceMax = 4096;
const sliceStepsMax = 100_000;

/** Lets scanners read a piece of whole characters, in slices of bounded time. */
export function* readInSlices(scanners: readonly Scanner[], piece: string, budget: TextBudget): Work<void> {
  for (const scanner of scanners) {
    let length = 64;
    for (let at = 0; at < piece.length; ) {
      const slice = sliceAt(piece, at, length);
      at += slice.length;
      const steps = scanner.read(slice);
      if (budget.spend(steps)) yield;
      length = steps > sliceStepsMax ? Math.max(sliceMin, length >> 1) : Math.min(sliceMax, length << 1);
    }
  }
}

/** Lets scanners read a whole text. */
export function* scanText(scanners: readonly Scanner[], text: string, budget: TextBudget): Work<void> {
  for (const scanner of scanners) {
    if (budget.spend(scanner.openingSteps)) yield;
  }
  yield* readInSlices(scanners, text, budget);
  yield* endScanners(scanners, budget);
}

/** Tells scanners that the text is complete. */
export function* endScanners(scanners: readonly Scanner[], budget: TextBudget): Work<void> {
  for (const scanner of scanners) {
    if (budget.spend(scanner.end())) yield;
  }
}

/** About `length` characters from `at` on, without splitting a surrogate pair. */
function sliceAt(text: string, at: number, length: number): string {
  const last = text.charCodeAt(at + length - 1);
  const isCut = last >= 0xd800 && last <= 0xdbff;
  return text.slice(at, at + length + (isCut ? 1 : 0));
}
