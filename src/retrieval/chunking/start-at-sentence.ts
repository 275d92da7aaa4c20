import { firstBoundary } from "./grapheme-boundary.ts";
import { sentenceLevel, wordLevel } from "./levels.ts";

/** Maximum distance for a better start. */
const reach = 256;

/** Maximum length of a word that a chunk should not start inside. */
const wordReach = 24;

/**
 * Start of a chunk that may share the text between `earliest` and `end`: at a sentence if that shares at least half of it, else at a word,
 * else at a whole character.
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
