/**
 * The milliseconds of processor time that `work` took this process. Neighbours don't count: a process that waits for its turn
 * uses none.
 */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Between linear (1) and quadratic (8). */
const linearBelow = 3;
/** The collector and the compiler work beside a text as well, though not each time. */
const goesMax = 8;
/** What takes less than this is too quick to be compared. */
const floorMs = 2;

/**
 * How many times more work a text eight times as long is, for each time that it is longer: about 1 when the work is linear,
 * about 8 when it is quadratic. Work is processor time, and the least of several goes counts: what is linear shows it in one
 * of them, what is quadratic in none.
 */
export function growth(
  recipe: (times: number) => string,
  work: (text: string) => unknown,
  times = 20_000,
): number {
  const small = recipe(times);
  const large = recipe(8 * times);
  work(small);
  let [leastSmall, leastLarge] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let grown = Number.POSITIVE_INFINITY;
  for (let go = 0; go < goesMax && grown >= linearBelow; go++) {
    leastSmall = Math.min(
      leastSmall,
      processorMs(() => work(small)),
    );
    leastLarge = Math.min(
      leastLarge,
      processorMs(() => work(large)),
    );
    grown = Math.max(leastLarge, floorMs) / Math.max(leastSmall, floorMs) / (large.length / small.length);
  }
  return grown;
}
