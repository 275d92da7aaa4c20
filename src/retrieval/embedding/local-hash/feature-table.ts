/** Above this number, features are added to the vector before the text ends, which bounds memory. */
const featuresMax = 65_536;

/** Counts the features of one text in an open-addressing table that is reused for the next text. */
export class FeatureTable {
  #keys = new Uint32Array(1024);
  #counts = new Uint32Array(1024);
  #weights = new Float64Array(1024);
  #mask = 1023;
  readonly #used: number[] = [];
  readonly #drain: (feature: number, count: number, weight: number) => void;

  /** `drain` is called for each feature with its count and the sum of its weights. */
  constructor(drain: (feature: number, count: number, weight: number) => void) {
    this.#drain = drain;
  }

  add(feature: number, weight: number): void {
    let slot = feature & this.#mask;
    for (;;) {
      if (this.#counts[slot] === 0) break;
      if (this.#keys[slot] === feature) {
        (this.#counts[slot] as number)++;
        (this.#weights[slot] as number) += weight;
        return;
      }
      slot = (slot + 1) & this.#mask;
    }
    this.#keys[slot] = feature;
    this.#counts[slot] = 1;
    this.#weights[slot] = weight;
    this.#used.push(slot);
    if (this.#used.length * 2 <= this.#mask) return;
    if (this.#used.length >= featuresMax) this.flush();
    else this.#grow();
  }

  /** Passes on every feature and clears the table. */
  flush(): void {
    for (const slot of this.#used) {
      this.#drain(this.#keys[slot] as number, this.#counts[slot] as number, this.#weights[slot] as number);
      this.#counts[slot] = 0;
    }
    this.#used.length = 0;
  }

  #grow(): void {
    const features = this.#used.map(
      (slot) => [this.#keys[slot], this.#counts[slot], this.#weights[slot]] as [number, number, number],
    );
    const size = (this.#mask + 1) * 4;
    this.#keys = new Uint32Array(size);
    this.#counts = new Uint32Array(size);
    this.#weights = new Float64Array(size);
    this.#mask = size - 1;
    this.#used.length = 0;
    for (const [feature, count, weight] of features) {
      let slot = feature & this.#mask;
      while (this.#counts[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#keys[slot] = feature;
      this.#counts[slot] = count;
      this.#weights[slot] = weight;
      this.#used.push(slot);
    }
  }
}

/** FNV-1a over the UTF-16 units from `start` to `end`, mixed so that each bit depends on all of them; unsigned 32 bits. */
export function hashRange(text: string, start: number, end: number, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) | 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  return mix(hash);
}

/** The finalizer of murmur3: unsigned 32 bits, each of which depends on all of `value`. */
export function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
