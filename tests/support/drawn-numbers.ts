import fc from "fast-check";
import { seeded } from "./campaign/seeded.ts";

/**
 * Returns a generator of numbers from 0 (inclusive) to 1 (exclusive) for places in time, such as those of kills. It starts from the seed of
 * the properties, which is the same in every run, and prints it: `ARGOSY_TEST_SEED` repeats the numbers or draws new ones.
 */
export function drawnNumbers(what: string): () => number {
  const seed = fc.readConfigureGlobal()?.seed ?? Math.floor(Math.random() * 2 ** 31);
  console.log(`${what}: ARGOSY_TEST_SEED=${seed}`);
  return seeded(seed);
}
