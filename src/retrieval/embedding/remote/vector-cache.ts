/** Cache of the most recently used vectors. */
export class VectorCache {
  readonly #vectors = new Map<string, Float32Array>();
  readonly #entriesMax: number;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** Returns the text's vector and marks it as recently used. */
  get(text: string): Float32Array | undefined {
    const vector = this.#vectors.get(text);
    if (vector === undefined) return undefined;
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    return vector;
  }

  /** Adds a vector and evicts the least recently used one. */
  set(text: string, vector: Float32Array): void {
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    if (this.#vectors.size <= this.#entriesMax) return;
    const [oldest] = this.#vectors.keys();
    if (oldest !== undefined) this.#vectors.delete(oldest);
  }
}
