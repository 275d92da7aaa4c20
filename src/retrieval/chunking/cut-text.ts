import { AppError } from "../../kit/app-error.ts";
import type { Chunk } from "./chunker.ts";
import { CodePointCursor, isPlain } from "./code-point-cursor.ts";
import { firstBoundary, lastBoundary } from "./grapheme-boundary.ts";

/** A document of more chunks is refused: nobody wants them, and their number is up to whoever sends the settings. */
const chunksMax = 1_000_000;

/** The event loop gets a turn after so many characters or chunks. */
const turnCharacters = 65_536;
const turnChunks = 1024;

/** Where a chunk may end, in UTF-16 units: at `least` or later, at `most` at the latest. All are first units of code points. */
export interface Window {
  text: string;
  /** Where the chunk begins. */
  start: number;
  least: number;
  most: number;
}

export interface CutRules {
  /** Longest chunk and most that neighbours share, in code points. */
  size: number;
  overlap: number;
  /** The best end in the window, which is not asked for a rest that fits in one chunk unless `cutsRest`; undefined: `most`. */
  endIn(window: Window): number | undefined;
  cutsRest?: boolean;
  /** Where the chunk after one that ended at `end` begins: from `earliest` to `end`. */
  startIn(text: string, earliest: number, end: number): number;
}

/** Cuts a text from its beginning to its end, each chunk as `rules` say. Throws `too_many_chunks` (422), or the signal's reason. */
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
    await turn();
    signal.throwIfAborted();
  }
  return chunks;
}

/** Lets what else the event loop has to do come first. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

class Walk {
  readonly #text: string;
  readonly #rules: CutRules;
  // Places that move on together, so that none has to walk far.
  readonly #starts: CodePointCursor;
  readonly #ends: CodePointCursor;
  readonly #mosts: CodePointCursor;
  readonly #earliests: CodePointCursor;
  /** The last chunk's end. */
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

  /** The chunk from `start` on, and where the next one begins: after `start`, unless the text is at its end. */
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

/** Begins at the first whole character. */
export const startAtCharacter: CutRules["startIn"] = (text, earliest, end) =>
  firstBoundary(text, earliest, end);

function tooMany(): AppError {
  return new AppError(
    "unprocessable",
    "too_many_chunks",
    `The document would become more than ${chunksMax} chunks; use a larger chunk_size or a smaller overlap.`,
  );
}
