import { createTextHasher, type TextHasher } from "./hash-text.ts";

/** Message to the worker. */
export interface HashOrder {
  id: number;
  dimension: number;
  texts: readonly string[];
}

/** Message from the worker; the memory of the vectors is transferred. */
export type HashAnswer = { id: number; vectors: Float32Array } | { id: number; fault: string };

declare const self: Worker;

const hashers = new Map<number, TextHasher>();

self.onmessage = ({ data }: MessageEvent<HashOrder>) => {
  try {
    const vectors = hashTexts(data);
    self.postMessage({ id: data.id, vectors } satisfies HashAnswer, [vectors.buffer as ArrayBuffer]);
  } catch (thrown) {
    self.postMessage({ id: data.id, fault: String(thrown) } satisfies HashAnswer);
  }
};

function hashTexts({ dimension, texts }: HashOrder): Float32Array {
  const hasher = hashers.get(dimension) ?? createTextHasher(dimension);
  hashers.set(dimension, hasher);
  const vectors = new Float32Array(texts.length * dimension);
  for (const [at, text] of texts.entries()) hasher.hash(text, vectors, at * dimension);
  return vectors;
}
