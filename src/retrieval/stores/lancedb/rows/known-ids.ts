/** With this many bits and probes, about one in 100,000 unknown ids is reported as known. */
const bitsPerId = 32;
const probes = 8;
/** A power of two, like all later capacities, so that a bit's position is a part of the hash instead of a remainder. */
const firstCapacity = 16_384;

/**
 * Tells whether an id was certainly never added or perhaps was, with a chain of Bloom filters, each for twice as many ids as the one
 * before. 100,000 ids take about 900 kB.
 */
export class KnownIds {
  readonly #filters: BloomFilter[] = [];

  add(ids: Iterable<string>): void {
    let filter = this.#filters.at(-1);
    for (const id of ids) {
      if (filter === undefined || filter.count >= filter.capacity) {
        filter = new BloomFilter((filter?.capacity ?? firstCapacity / 2) * 2);
        this.#filters.push(filter);
      }
      filter.add(hashOf(id));
    }
  }

  /** Those of `ids` that may have been added. */
  among(ids: readonly string[]): string[] {
    const filters = this.#filters;
    return ids.filter((id) => {
      const hash = hashOf(id);
      return filters.some((filter) => filter.mayHave(hash));
    });
  }
}

class BloomFilter {
  count = 0;
  readonly capacity: number;
  // Not a #private field, because its access checks took longer than the probes.
  private readonly words: Uint32Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.words = new Uint32Array((capacity * bitsPerId) / 32);
  }

  add(hash: number): void {
    this.count++;
    const { words } = this;
    const mask = words.length - 1;
    const step = stepOf(hash);
    for (let probe = 0, at = hash | 0; probe < probes; probe++, at = (at + step) | 0) {
      const word = (at >>> 5) & mask;
      words[word] = (words[word] as number) | (1 << (at & 31));
    }
  }

  mayHave(hash: number): boolean {
    const { words } = this;
    const mask = words.length - 1;
    const step = stepOf(hash);
    for (let probe = 0, at = hash | 0; probe < probes; probe++, at = (at + step) | 0) {
      const word = (at >>> 5) & mask;
      if (((words[word] as number) & (1 << (at & 31))) === 0) return false;
    }
    return true;
  }
}

const hashOf = (id: string) => Bun.hash.xxHash32(id);

/** A second hash, derived from the first: hashing takes more time than all probes. */
const stepOf = (hash: number) => Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 1;
