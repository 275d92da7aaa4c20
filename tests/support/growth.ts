/**
 * How many times longer `work` takes with a text eight times as long, for each time that it is longer: about 1 when it is
 * linear, about 8 when it is quadratic. The best of several goes, so that a busy machine doesn't count.
 */
export function growth(
  recipe: (times: number) => string,
  work: (text: string) => unknown,
  times = 20_000,
): number {
  const small = recipe(times);
  const large = recipe(8 * times);
  work(small);
  const timed = (text: string) => {
    const startedMs = performance.now();
    work(text);
    return performance.now() - startedMs;
  };
  const best = (text: string) => Math.min(timed(text), timed(text), timed(text));
  // What takes less than this is too quick to be compared.
  const floorMs = 2;
  return Math.max(best(large), floorMs) / Math.max(best(small), floorMs) / (large.length / small.length);
}
