import type { Embedder } from "../embedding/embedder.ts";
import type { Chunker, ChunkingSettings } from "./chunker.ts";
import { cutText, type Window } from "./cut-text.ts";
import { sentenceLevel, wordLevel } from "./levels.ts";
import { startAtSentence } from "./start-at-sentence.ts";
import { findTopicEnds } from "./topic-ends.ts";

/**
 * Cuts before a sentence whose similarity to the previous one is below `similarity_threshold`. Longer stretches are cut between sentences,
 * and only those cuts have an overlap.
 */
export function createSemantic(settings: ChunkingSettings, embedder: Embedder): Chunker {
  const { chunk_size: size, overlap, similarity_threshold: threshold } = settings;
  return async (text, signal) => {
    const topicEnds = await findTopicEnds(text, { embedder, threshold, size }, signal);
    const isTopicEnd = new Set(topicEnds);
    let next = 0;
    const rules = {
      size,
      overlap,
      cutsRest: true,
      endIn({ text, least, most }: Window) {
        while ((topicEnds[next] ?? text.length) < least) next++;
        const topicEnd = topicEnds[next] ?? text.length;
        if (topicEnd <= most) return topicEnd;
        return sentenceLevel.last(text, least, most) ?? wordLevel.last(text, least, most);
      },
      startIn: (text: string, earliest: number, end: number) =>
        isTopicEnd.has(end) ? end : startAtSentence(text, earliest, end),
    };
    return cutText(text, rules, signal);
  };
}
