/** Keeps the first `size` of the added items in an order. Many items are not kept, and never sorted all at once. */
export class Ranking<T> {
  readonly #size: number;
  readonly #order: (one: T, other: T) => number;
  #kept: T[] = [];

  constructor(size: number, order: (one: T, other: T) => number) {
    this.#size = size;
    this.#order = order;
  }

  add(item: T): void {
    this.#kept.push(item);
    if (this.#kept.length >= 2 * this.#size) this.#kept = this.items;
  }

  /** The first items, in their order. */
  get items(): T[] {
    return this.#kept.toSorted(this.#order).slice(0, this.#size);
  }
}

/** Returns the first `size` items in an order. */
export function firstOf<T>(items: Iterable<T>, size: number, order: (one: T, other: T) => number): T[] {
  const ranking = new Ranking(size, order);
  for (const item of items) ranking.add(item);
  return ranking.items;
}
