import type { Chunker, ChunkingSettings } from "./chunker.ts";
import { type CutRules, cutText, type Window } from "./cut-text.ts";
import { type Level, separatorLevel, textLevels } from "./levels.ts";
import { startAtSentence } from "./start-at-sentence.ts";

/** Cuts at the best separator, and at the next best only if a piece is too long for a chunk. */
export function createRecursive({ chunk_size: size, overlap, separators }: ChunkingSettings): Chunker {
  const levels = separators?.length
    ? separators.filter((separator) => separator !== "").map(separatorLevel)
    : textLevels;
  const rules: CutRules = {
    size,
    overlap,
    endIn: (window) => bestEnd(window, levels, (size - overlap) / size),
    startIn: startAtSentence,
  };
  return (text, signal) => cutText(text, rules, signal);
}

/**
 * Last position of the first level that fills at least half of the chunk, or whose next piece fits into one chunk. So a paragraph that is
 * too long anyway fills the space left by a short one.
 */
function bestEnd(
  { text, start, least, most }: Window,
  levels: readonly Level[],
  share: number,
): number | undefined {
  const length = most - start;
  let early: number | undefined;
  for (const level of levels) {
    const end = level.last(text, least, most);
    if (end === undefined) continue;
    const ahead = end + Math.floor(length * share);
    const isFull = end - start >= length / 2;
    if (isFull || ahead >= text.length || level.first(text, most + 1, ahead) !== undefined) return end;
    early ??= end;
  }
  return early;
}
