import type { Chunker, ChunkingSettings } from "./chunker.ts";
import { isPairAt } from "./code-point-cursor.ts";
import { type CutRules, cutText } from "./cut-text.ts";
import { sentenceLevel, wordLevel } from "./levels.ts";
import { startAtSentence } from "./start-at-sentence.ts";

/** Cuts into as many whole sentences as fit. A sentence longer than a chunk is cut between words. */
export function createSentence(settings: ChunkingSettings): Chunker {
  return (text, signal) => cutText(text, rulesFor(settings), signal);
}

/** Creates the rules for one text; they have state. */
function rulesFor({ chunk_size: size, overlap }: ChunkingSettings): CutRules {
  const nextEnd = sentenceEndAfter(size);
  return {
    size,
    overlap,
    endIn: ({ text, least, most }) =>
      sentenceLevel.last(text, least, most) ?? wordLevel.last(text, least, most),
    startIn(text, earliest, end) {
      // Shares less text if the next sentence would not fit otherwise.
      const least = Math.max(earliest, nextEnd(text, end) - size);
      return startAtSentence(text, isPairAt(text, least - 1) ? least + 1 : least, end);
    },
  };
}

/** Returns the end of the next sentence within `size` after a position; 0 if there is none. Positions must not decrease. */
function sentenceEndAfter(size: number): (text: string, place: number) => number {
  let foundAt = 0;
  let readUntil = 0;
  return (text, place) => {
    if (foundAt <= place) {
      const from = Math.max(readUntil, place + 1);
      readUntil = Math.max(from, place + size);
      foundAt = sentenceLevel.first(text, from, readUntil) ?? 0;
      if (foundAt > 0) readUntil = foundAt;
    }
    return foundAt > place && foundAt - place <= size ? foundAt : 0;
  };
}
