import type { Embedder } from "../embedder.ts";
import { createTextHasher, type TextHasher } from "./hash-text.ts";
import type { HashThread } from "./hash-thread.ts";

/** Raised whenever a text gets a different vector than before. */
const version = 1;

export const defaultDimension = 384;

/** Fewer dimensions can't separate enough words; more remain empty. */
export const dimensionRange = { least: 16, most: 16_384 };

/** Texts up to this size are hashed inline, in one or two milliseconds; larger ones go to the worker. */
const inlineCharactersMax = 8_192;

/** Maximum characters per message to the worker, which limits the work left after an abort and the copying. */
const orderCharactersMax = 262_144;

/**
 * The built-in embedder, which hashes words and their parts. It finds texts with the same or similar words, without understanding meaning.
 * Vectors are the same on every platform.
 */
export function createLocalHash(dimension: number, thread: HashThread): Embedder {
  // Its tables are built for the first text.
  let hasher: TextHasher | undefined;
  return {
    id: `local_hash/${version}@${dimension}`,
    isLexical: true,
    defaultThreshold: 0.3,
    dimension: async () => dimension,
    async embed(texts, _use, signal) {
      signal.throwIfAborted();
      const vectors = new Float32Array(texts.length * dimension);
      if (workOf(texts) <= inlineCharactersMax) {
        hasher ??= createTextHasher(dimension);
        for (const [at, text] of texts.entries()) hasher.hash(text, vectors, at * dimension);
        return vectors;
      }
      for (const { from, part } of orders(texts)) {
        vectors.set(await thread.hash(part, dimension, signal), from * dimension);
      }
      return vectors;
    },
  };
}

/** Work in characters; each vector costs as much as a few dozen of them. */
function workOf(texts: readonly string[]): number {
  let work = 0;
  for (const { length } of texts) work += length + 64;
  return work;
}

function* orders(texts: readonly string[]): Generator<{ from: number; part: string[] }> {
  let from = 0;
  let part: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (part.length > 0 && characters + text.length > orderCharactersMax) {
      yield { from, part };
      from += part.length;
      part = [];
      characters = 0;
    }
    part.push(text);
    characters += text.length;
  }
  if (part.length > 0) yield { from, part };
}
