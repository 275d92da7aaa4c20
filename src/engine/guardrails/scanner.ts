import type { Work } from "../../kit/others-turn.ts";
import type { TextBudget } from "./text-budget.ts";

/** Part of the text, `[start, end)` in UTF-16 units, certainly matches; it was certain once the text was read up to `at`. */
export type Cover = (start: number, end: number, at: number, label: string) => void;

/** Looks for something in a text that comes in pieces of whole characters. What it finds doesn't depend on the pieces. */
export interface Scanner {
  /** Steps of work that opening it took. */
  readonly openingSteps: number;
  /** Returns the steps that it took. */
  read(piece: string): number;
  /** The text is complete. Returns the steps that it took. */
  end(): number;
  /** Where the part of what was read begins that may still become a match, or a longer one. */
  readonly undecidedFrom: number;
}

/** Characters that a scanner reads at once, and the steps above which it reads fewer the next time. */
const sliceMin = 16;
const sliceMax = 4096;
const sliceStepsMax = 100_000;

/** Lets scanners read a piece of whole characters, in slices that take a bounded time each. */
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

/** About `length` characters from `at` on; none is cut that two UTF-16 units make. */
function sliceAt(text: string, at: number, length: number): string {
  const last = text.charCodeAt(at + length - 1);
  const isCut = last >= 0xd800 && last <= 0xdbff;
  return text.slice(at, at + length + (isCut ? 1 : 0));
}
