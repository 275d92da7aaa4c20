import { firstBoundary } from "./grapheme-boundary.ts";
import { sentenceLevel, wordLevel } from "./levels.ts";

/** A better beginning is looked for no further than this. */
const reach = 256;

/** No word that a text should not begin in the middle of is longer. */
const wordReach = 24;

/**
 * Where a chunk begins that may share what is between `earliest` and `end`: with a sentence where that shares at least half of it,
 * else with a word, else with a whole character.
 */
export function startAtSentence(text: string, earliest: number, end: number): number {
  const latest = earliest + Math.min(reach, Math.floor((end - earliest) / 2));
  const latestWord = Math.min(end, Math.max(latest, earliest + wordReach));
  return (
    sentenceLevel.first(text, earliest, latest) ??
    wordLevel.first(text, earliest, latestWord) ??
    firstBoundary(text, earliest, end)
  );
}
