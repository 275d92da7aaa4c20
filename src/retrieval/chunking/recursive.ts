import type { Chunker, ChunkingSettings } from "./chunker.ts";
import { type CutRules, cutText, type Window } from "./cut-text.ts";
import { type Level, separatorLevel, textLevels } from "./levels.ts";
import { startAtSentence } from "./start-at-sentence.ts";

/** Cuts at the best separator, and only where a piece is too long for a chunk at the next best. */
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
 * The last place of the first level that fills at least half of the chunk, or after which the next piece of that level fits
 * in one chunk: a paragraph that is too long anyway fills up what a short one leaves.
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
