import type { CollectionKey, VectorBatch } from "../../src/retrieval/stores/vector-store.ts";

export interface SampleRow {
  id: string;
  group?: string;
  text?: string;
  metadata?: Record<string, unknown>;
  vector?: readonly number[];
}

/** Returns rows in columns. By default, a row has its id as text, an empty object, and the vector [1, 0, …]. */
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

/** Returns a unique key. */
export const newKey = (key: Partial<CollectionKey> = {}): CollectionKey => ({
  tenant: crypto.randomUUID(),
  kind: "rag",
  name: "handbook",
  ...key,
});

export const never = new AbortController().signal;

/** Yields numbers from -1 to 1, the same for the same seed. */
export function* sampleNumbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 31 - 1;
  }
}

/** Returns that many vectors, the same for the same seed. */
export function sampleVectors(count: number, dimension: number, seed = 1): number[][] {
  const numbers = sampleNumbers(seed);
  return Array.from({ length: count }, () => Array.from({ length: dimension }, () => numbers.next().value));
}

/** Returns the cosine similarity limited to 0..1, in 64 bits; 0 if one of the vectors has no direction. */
export function referenceScore(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, part, at) => sum + part * (other[at] ?? 0), 0);
  const lengths = Math.hypot(...one) * Math.hypot(...other);
  return lengths === 0 ? 0 : Math.min(1, Math.max(0, product / lengths));
}
