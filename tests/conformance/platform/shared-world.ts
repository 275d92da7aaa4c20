import type { MatrixWorld } from "./matrix-world.ts";

/**
 * One matrix world for tests that leave it as it is; starting one takes longer than most of these tests. After a test that fails, the next
 * one gets a new world, so no failure depends on another.
 */
export class SharedWorld implements AsyncDisposable {
  readonly #start: () => Promise<MatrixWorld>;
  #world: MatrixWorld | undefined;

  constructor(start: () => Promise<MatrixWorld>) {
    this.#start = start;
  }

  async lend<T>(use: (world: MatrixWorld) => Promise<T>): Promise<T> {
    this.#world ??= await this.#start();
    try {
      return await use(this.#world);
    } catch (fault) {
      await this[Symbol.asyncDispose]();
      throw fault;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const world = this.#world;
    this.#world = undefined;
    await world?.[Symbol.asyncDispose]();
  }
}
