/** A line in which owners take turns; each owner's own are in order of arrival. */
export class OwnerLine<T> {
  /** By owner, in the order of the owners' turns. Sets, so that leaving the line needs no search. */
  readonly #waiting = new Map<string, Set<T>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(owner: string, one: T): void {
    const own = this.#waiting.get(owner);
    if (own === undefined) this.#waiting.set(owner, new Set([one]));
    else own.add(one);
  }

  /** Takes the first of the owner whose turn it is, of those that `may`. The owner's next one then waits behind every other owner. */
  next(may: (owner: string) => boolean = () => true): { owner: string; one: T } | undefined {
    for (const [owner, own] of this.#waiting) {
      if (!may(owner)) continue;
      const [one] = own;
      this.#waiting.delete(owner);
      own.delete(one as T);
      if (own.size > 0) this.#waiting.set(owner, own);
      return { owner, one: one as T };
    }
    return undefined;
  }

  /** Leaves the line; does nothing if it is not in it. */
  remove(owner: string, one: T): void {
    const own = this.#waiting.get(owner);
    if (own?.delete(one) && own.size === 0) this.#waiting.delete(owner);
  }

  owners(): Iterable<string> {
    return this.#waiting.keys();
  }
}
