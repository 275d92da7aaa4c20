/**
 * One thing that tests use in turn, started at the first use because starting takes longer than most of the tests. After a test that fails,
 * the next one gets a new one, so no failure causes another.
 */
export class SharedUntilFailure<T extends AsyncDisposable> implements AsyncDisposable {
  readonly #start: () => Promise<T>;
  #current: T | undefined;

  constructor(start: () => Promise<T>) {
    this.#start = start;
  }

  async lend(use: (shared: T) => Promise<void>): Promise<void> {
    this.#current ??= await this.#start();
    try {
      await use(this.#current);
    } catch (fault) {
      await this[Symbol.asyncDispose]();
      throw fault;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    await current?.[Symbol.asyncDispose]();
  }
}
