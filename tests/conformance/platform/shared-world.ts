import type { TestEngine } from "../../support/storage-engines.ts";
import { type MatrixWorld, startMatrix } from "./matrix-world.ts";

/**
 * One matrix world for tests that leave it as it is; starting one takes longer than most of these tests. After a test that fails, the next
 * one gets a new world, so no failure depends on another.
 */
export class SharedWorld implements AsyncDisposable {
  readonly #engine: TestEngine;
  readonly #prepare: (world: MatrixWorld) => Promise<void>;
  #world: MatrixWorld | undefined;

  constructor(engine: TestEngine, prepare: (world: MatrixWorld) => Promise<void> = async () => {}) {
    this.#engine = engine;
    this.#prepare = prepare;
  }

  async lend<T>(use: (world: MatrixWorld) => Promise<T>): Promise<T> {
    if (this.#world === undefined) {
      this.#world = await startMatrix(this.#engine);
      await this.#prepare(this.#world);
    }
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
