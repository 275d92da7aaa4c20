import type { CollectionKey, VectorBatch } from "../../src/retrieval/stores/vector-store.ts";

export interface SampleRow {
  id: string;
  group?: string;
  text?: string;
  metadata?: Record<string, unknown>;
  vector?: readonly number[];
}

/** Rows in columns; what a row leaves out is its id as a text, an empty object, and the vector [1, 0, …]. */
export function sampleBatch(rows: readonly SampleRow[], dimension: number, write = "write-1"): VectorBatch {
  const vectors = new Float32Array(rows.length * dimension);
  for (const [at, { vector = [1] }] of rows.entries()) vectors.set(vector, at * dimension);
  return {
    ids: rows.map(({ id }) => id),
    groups: rows.map(({ group = "group-1" }) => group),
    write,
    texts: rows.map(({ id, text = id }) => text),
    metadata: rows.map(({ metadata = {} }) => metadata),
    vectors,
  };
}

/** A key that no other test has. */
export const newKey = (key: Partial<CollectionKey> = {}): CollectionKey => ({
  tenant: crypto.randomUUID(),
  kind: "rag",
  name: "handbook",
  ...key,
});

export const never = new AbortController().signal;

/** Numbers from -1 to 1, the same for the same seed. */
export function* sampleNumbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 31 - 1;
  }
}

/** So many vectors, the same for the same seed. */
export function sampleVectors(count: number, dimension: number, seed = 1): number[][] {
  const numbers = sampleNumbers(seed);
  return Array.from({ length: count }, () => Array.from({ length: dimension }, () => numbers.next().value));
}

/** Cosine similarity cut to 0..1, in 64 bits; 0 where one of them has no direction. */
export function referenceScore(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, part, at) => sum + part * (other[at] ?? 0), 0);
  const lengths = Math.hypot(...one) * Math.hypot(...other);
  return lengths === 0 ? 0 : Math.min(1, Math.max(0, product / lengths));
}
