/** A map of the entries that were set last. One more than `max` drops the one that was set longest ago. */
export class LatestMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  /** Sets the entry, which is then the latest. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) this.delete(this.keys().next().value as Key);
    return this;
  }

  /** Returns the value of a key, and makes its entry the latest. */
  use(key: Key): Value | undefined {
    const value = this.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }
}
