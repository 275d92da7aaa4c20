import { othersTurn } from "../../kit/concurrency/others-turn.ts";
import type { Embedder } from "../embedding/embedder.ts";
import { isPairAt } from "./code-point-cursor.ts";
import { findSentenceEnds } from "./sentence-ends.ts";

/** Maximum sentences embedded at once, and maximum characters searched for sentences at once. */
const sentencesAtOnce = 256;
const charactersAtOnce = 65_536;

export interface TopicOptions {
  embedder: Embedder;
  /** Neighbouring sentences below this similarity have different topics. */
  threshold: number;
  /** Maximum length of a sentence that is compared; the rest is ignored. */
  size: number;
}

/** Ends of sentences, in UTF-16 units, after which the similarity of the next sentence is below `threshold`. */
export async function findTopicEnds(
  text: string,
  { embedder, threshold, size }: TopicOptions,
  signal: AbortSignal,
): Promise<number[]> {
  const dimension = await embedder.dimension(signal);
  const ends: number[] = [];
  let last: Float32Array | undefined;
  for await (const sentences of batches(text, size, signal)) {
    const vectors = await embedder.embed(
      sentences.map(({ text }) => text),
      "document",
      signal,
    );
    for (const [at, { start }] of sentences.entries()) {
      const vector = vectors.subarray(at * dimension, (at + 1) * dimension);
      // A sentence without content belongs to the previous one.
      if (vector.every((value) => value === 0)) continue;
      if (last !== undefined && dot(last, vector) < threshold) ends.push(start);
      last = vector;
    }
  }
  return ends;
}

interface Sentence {
  start: number;
  text: string;
}

async function* batches(text: string, size: number, signal: AbortSignal): AsyncGenerator<Sentence[]> {
  let batch: Sentence[] = [];
  let start = 0;
  for (let from = 0; from < text.length; ) {
    const to = Math.min(from + charactersAtOnce, text.length);
    for (const end of findSentenceEnds(text, from, to)) {
      batch.push(sentence(text, start, end, size));
      start = end;
      if (batch.length < sentencesAtOnce) continue;
      yield batch;
      batch = [];
    }
    from = Math.max(to, start);
    await othersTurn();
    signal.throwIfAborted();
  }
  if (start < text.length) batch.push(sentence(text, start, text.length, size));
  if (batch.length > 0) yield batch;
}

function sentence(text: string, start: number, end: number, size: number): Sentence {
  const until = Math.min(end, start + size);
  return { start, text: text.slice(start, isPairAt(text, until - 1) ? until - 1 : until) };
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (const [at, value] of one.entries()) sum += value * (other[at] as number);
  return sum;
}
