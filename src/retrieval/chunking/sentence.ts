import type { Chunker, ChunkingSettings } from "./chunker.ts";
import { isPairAt } from "./code-point-cursor.ts";
import { type CutRules, cutText } from "./cut-text.ts";
import { sentenceLevel, wordLevel } from "./levels.ts";
import { startAtSentence } from "./start-at-sentence.ts";

/** Whole sentences, as many as fit; only one that is longer than a chunk is cut, between words. */
export function createSentence(settings: ChunkingSettings): Chunker {
  return (text, signal) => cutText(text, rulesFor(settings), signal);
}

/** Rules for one text: they remember what they have read. */
function rulesFor({ chunk_size: size, overlap }: ChunkingSettings): CutRules {
  const nextEnd = sentenceEndAfter(size);
  return {
    size,
    overlap,
    endIn: ({ text, least, most }) =>
      sentenceLevel.last(text, least, most) ?? wordLevel.last(text, least, most),
    startIn(text, earliest, end) {
      // Less is shared where the next sentence would not fit otherwise.
      const least = Math.max(earliest, nextEnd(text, end) - size);
      return startAtSentence(text, isPairAt(text, least - 1) ? least + 1 : least, end);
    },
  };
}

/** The next sentence's end after a place, within `size`; 0 when there is none. Places must not go back. */
function sentenceEndAfter(size: number): (text: string, place: number) => number {
  let found = 0;
  let readUntil = 0;
  return (text, place) => {
    if (found <= place) {
      const from = Math.max(readUntil, place + 1);
      readUntil = Math.max(from, place + size);
      found = sentenceLevel.first(text, from, readUntil) ?? 0;
      if (found > 0) readUntil = found;
    }
    return found > place && found - place <= size ? found : 0;
  };
}
