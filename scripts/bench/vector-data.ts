export interface BenchBatch {
  ids: string[];
  groups: string[];
  texts: string[];
  metadata: Record<string, unknown>[];
  vectors: Float32Array;
}

export const dimension = 384;
const clusters = 200;
const wordsOfText = 50;
const vocabulary = 20_000;

/** Generates rows like those of documents: vectors in overlapping clusters, words by Zipf's law, a few keys. The same in every run. */
export class VectorData {
  readonly #random = seeded(1);
  readonly #centres = Array.from({ length: clusters }, () => this.#bells(dimension));

  batches(count: number, size: number): BenchBatch[] {
    return Array.from({ length: count / size }, (_, at) => this.#batch(at * size, size));
  }

  /** Returns a question near one of the clusters. */
  query(): Float32Array {
    return this.#near(0.5);
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.#word()).join(" ");
  }

  #batch(from: number, size: number): BenchBatch {
    const rows = Array.from({ length: size }, (_, at) => from + at);
    const vectors = new Float32Array(size * dimension);
    for (let at = 0; at < size; at++) vectors.set(this.#near(0.5), at * dimension);
    return {
      ids: rows.map((row) => `0190a8c4-7b1e-7c11-9a51-${row.toString(16).padStart(12, "0")}/00000000/0-300`),
      groups: rows.map((row) => `document-${Math.floor(row / 20)}`),
      texts: rows.map(() => this.words(wordsOfText)),
      metadata: rows.map((row) => ({
        lang: ["en", "es", "de"][row % 3],
        year: 1990 + (row % 36),
        tags: [`t${row % 50}`],
      })),
      vectors,
    };
  }

  #near(spread: number): Float32Array {
    const centre = this.#centres[Math.floor(this.#random() * clusters)] ?? new Float32Array(dimension);
    return centre.map((value) => value + spread * this.#bell());
  }

  #bells(count: number): Float32Array {
    return Float32Array.from({ length: count }, () => this.#bell());
  }

  #bell(): number {
    return (this.#random() + this.#random() + this.#random() - 1.5) * 2;
  }

  #word(): string {
    return `w${Math.floor(Math.exp(this.#random() * Math.log(vocabulary))).toString(36)}`;
  }
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
