/** With this many bits and probes an id that was never added is taken for known once in some 20,000 times. */
const bitsPerId = 24;
const probes = 10;
const firstCapacity = 16_384;

/**
 * Says of an id that it was certainly never added, or perhaps was: a chain of Bloom filters, each with room for twice as many ids
 * as the one before. 100,000 ids take some 700 kB.
 */
export class KnownIds {
  readonly #filters: BloomFilter[] = [];

  add(ids: Iterable<string>): void {
    for (const id of ids) {
      let filter = this.#filters.at(-1);
      if (filter === undefined || filter.count >= filter.capacity) {
        filter = new BloomFilter((filter?.capacity ?? firstCapacity / 2) * 2);
        this.#filters.push(filter);
      }
      filter.add(hashOf(id));
    }
  }

  /** Those of `ids` that may have been added. */
  among(ids: readonly string[]): string[] {
    return ids.filter((id) => {
      const hash = hashOf(id);
      return this.#filters.some((filter) => filter.mayHave(hash));
    });
  }
}

class BloomFilter {
  count = 0;
  readonly capacity: number;
  readonly #words: Uint32Array;
  readonly #bits: number;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#words = new Uint32Array(Math.ceil((capacity * bitsPerId) / 32));
    this.#bits = this.#words.length * 32;
  }

  add(hash: number): void {
    this.count++;
    const step = stepOf(hash);
    for (let probe = 0, at = hash; probe < probes; probe++, at += step) {
      const bit = at % this.#bits;
      this.#words[bit >>> 5] = (this.#words[bit >>> 5] as number) | (1 << (bit & 31));
    }
  }

  mayHave(hash: number): boolean {
    const step = stepOf(hash);
    for (let probe = 0, at = hash; probe < probes; probe++, at += step) {
      const bit = at % this.#bits;
      if (((this.#words[bit >>> 5] as number) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}

const hashOf = (id: string) => Bun.hash.xxHash32(id);

/** A second hash, made of the first: hashing takes more time than all probes. */
const stepOf = (hash: number) => (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 1) >>> 0;
