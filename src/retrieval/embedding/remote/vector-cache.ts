/** Keeps the vectors of the texts that were asked for last. */
export class VectorCache {
  readonly #vectors = new Map<string, Float32Array>();
  readonly #entriesMax: number;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** The text's vector, which is now the one asked for last. */
  get(text: string): Float32Array | undefined {
    const vector = this.#vectors.get(text);
    if (vector === undefined) return undefined;
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    return vector;
  }

  /** Keeps it, and forgets the one that nobody asked for the longest. */
  set(text: string, vector: Float32Array): void {
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    if (this.#vectors.size <= this.#entriesMax) return;
    const [oldest] = this.#vectors.keys();
    if (oldest !== undefined) this.#vectors.delete(oldest);
  }
}
