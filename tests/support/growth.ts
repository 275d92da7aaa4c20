/**
 * Returns the CPU time that `work` takes of this thread, in milliseconds. Other load does not count, because a waiting thread uses no CPU;
 * nor do the collector's and the compiler's own threads.
 */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  return passedMs(before);
}

/** `processorMs` for work that awaits. */
export async function processorMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  return passedMs(before);
}

function passedMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Between linear (1) and quadratic (8). */
const linearBelow = 3;
/** The collector and the compiler also use CPU time, but not in every attempt. */
const goesMax = 8;
/** Shorter times are too short to compare. */
const floorMs = 2;

/**
 * Returns the growth of work for a text eight times as long, divided by eight: about 1 if linear, about 8 if quadratic. Work is CPU time.
 * The small text is measured `goesMax` times before the large one, and its minimum counts, because one slow attempt would hide growth;
 * for the large text the attempts end with the first that shows linear work: quadratic work shows it in none.
 */
export function growth(
  recipe: (times: number) => string,
  work: (text: string) => unknown,
  times = 20_000,
): number {
  const small = recipe(times);
  const large = recipe(8 * times);
  let leastSmall = Number.POSITIVE_INFINITY;
  for (let go = 0; go < goesMax; go++)
    leastSmall = Math.min(
      leastSmall,
      processorMs(() => work(small)),
    );
  let leastLarge = Number.POSITIVE_INFINITY;
  let grown = Number.POSITIVE_INFINITY;
  for (let go = 0; go < goesMax && grown >= linearBelow; go++) {
    leastLarge = Math.min(
      leastLarge,
      processorMs(() => work(large)),
    );
    grown = Math.max(leastLarge, floorMs) / Math.max(leastSmall, floorMs) / (large.length / small.length);
  }
  return grown;
}
