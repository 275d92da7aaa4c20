/** Part of the text, `[start, end)` in UTF-16 units, certainly matches; it was certain once the text was read up to `at`. */
export type Cover = (start: number, end: number, at: number, label: string) => void;

/** Looks for something in a text that comes in pieces of whole characters. What it finds doesn't depend on the pieces. */
export interface Scanner {
  read(piece: string): void;
  /** The text is complete. */
  end(): void;
  /** Where the part of what was read begins that may still become a match, or a longer one. */
  readonly undecidedFrom: number;
}
