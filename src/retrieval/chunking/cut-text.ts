import { AppError } from "../../kit/app-error.ts";
import { othersTurn } from "../../kit/concurrency/others-turn.ts";
import type { Chunk } from "./chunker.ts";
import { CodePointCursor, isPlain } from "./code-point-cursor.ts";
import { firstBoundary, lastBoundary } from "./grapheme-boundary.ts";

/** Maximum chunks of a document: the settings come from the sender, who could otherwise request any number. */
const chunksMax = 1_000_000;

/** The event loop gets a turn after this many characters or chunks. */
const turnCharacters = 65_536;
const turnChunks = 1024;

/** Range for the end of a chunk, in UTF-16 units: between `least` and `most`. All positions are first units of code points. */
export interface Window {
  text: string;
  /** Start of the chunk. */
  start: number;
  least: number;
  most: number;
}

export interface CutRules {
  /** Maximum length of a chunk and of the text shared by neighbours, in code points. */
  size: number;
  overlap: number;
  /**
   * Returns the best end in the window; undefined: `most`. Not called if the rest of the text fits into one chunk, unless `cutsRest` is
   * set.
   */
  endIn(window: Window): number | undefined;
  cutsRest?: boolean;
  /** Returns the start of the chunk after one that ended at `end`: between `earliest` and `end`. */
  startIn(text: string, earliest: number, end: number): number;
}

/** Cuts a whole text according to `rules`. Throws `too_many_chunks` (422), or the signal's reason. */
export async function cutText(text: string, rules: CutRules, signal: AbortSignal): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  const walk = new Walk(text, rules);
  let turnAt = turnCharacters;
  for (let start = 0; start < text.length; ) {
    const chunk = walk.next(start);
    chunks.push(chunk.chunk);
    start = chunk.next;
    if (chunks.length > chunksMax) throw tooMany();
    if (start < turnAt && chunks.length % turnChunks !== 0) continue;
    turnAt = start + turnCharacters;
    await othersTurn();
    signal.throwIfAborted();
  }
  return chunks;
}

class Walk {
  readonly #text: string;
  readonly #rules: CutRules;
  // Separate cursors for positions that advance together, so that none has to move far.
  readonly #starts: CodePointCursor;
  readonly #ends: CodePointCursor;
  readonly #mosts: CodePointCursor;
  readonly #earliests: CodePointCursor;
  /** End of the last chunk. */
  #covered = 0;

  constructor(text: string, rules: CutRules) {
    this.#text = text;
    this.#rules = rules;
    const plain = isPlain(text);
    this.#starts = new CodePointCursor(text, plain);
    this.#ends = new CodePointCursor(text, plain);
    this.#mosts = new CodePointCursor(text, plain);
    this.#earliests = new CodePointCursor(text, plain);
  }

  /** Returns the chunk that begins at `start`, and the start of the next one, which is after `start` unless the text has ended. */
  next(start: number): { chunk: Chunk; next: number } {
    const text = this.#text;
    const { size, overlap, startIn } = this.#rules;
    const from = this.#starts.toUnit(start).point;
    const { unit: most } = this.#mosts.toPoint(from + size);
    const end = this.#endOf(start, most);
    this.#covered = end;
    const to = this.#ends.toUnit(end).point;
    const chunk = { text: text.slice(start, end), start: from, end: to };
    if (overlap === 0 || end === text.length) return { chunk, next: end };
    const earliest = this.#earliests.toPoint(Math.max(to - overlap, from + 1)).unit;
    return { chunk, next: startIn(text, earliest, end) };
  }

  #endOf(start: number, most: number): number {
    const text = this.#text;
    const { endIn, cutsRest = false } = this.#rules;
    if (most === text.length && !cutsRest) return most;
    const least = this.#ends.toPoint(this.#ends.toUnit(Math.max(start, this.#covered)).point + 1).unit;
    const end = endIn({ text, start, least, most });
    return end ?? (most === text.length ? most : lastBoundary(text, least, most));
  }
}

/** Starts at the first whole character. */
export const startAtCharacter: CutRules["startIn"] = (text, earliest, end) =>
  firstBoundary(text, earliest, end);

function tooMany(): AppError {
  return new AppError(
    "unprocessable",
    "too_many_chunks",
    `The document would become more than ${chunksMax} chunks; use a larger chunk_size or a smaller overlap.`,
  );
}
