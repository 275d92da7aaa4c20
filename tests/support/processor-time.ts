/**
 * Returns the CPU time of this thread up to now, in milliseconds. Linux otherwise tells that of the last timer tick, up to 4 ms ago: work of
 * 5 ms may seem to take 0 or 8. Only when asked about the whole process does it first bring the figure of the thread that asks up to date.
 */
export function threadProcessorMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Returns the CPU time that `work` takes of this thread, in milliseconds. Other load does not count, because a waiting thread uses no CPU;
 * nor do the collector's and the compiler's own threads.
 */
export function processorMs(work: () => unknown): number {
  const before = threadProcessorMs();
  work();
  return threadProcessorMs() - before;
}

/** `processorMs` for work that awaits. */
export async function processorMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = threadProcessorMs();
  await work();
  return threadProcessorMs() - before;
}

/** Does the work, and returns the CPU time of this thread in the longest pause between two passes of the event loop, in milliseconds. */
export async function longestBlockMs(work: () => unknown): Promise<number> {
  let longestMs = 0;
  let isOver = false;
  let last = threadProcessorMs();
  const pass = () => {
    const now = threadProcessorMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    if (!isOver) setImmediate(pass);
  };
  setImmediate(pass);
  await new Promise((resolve) => setImmediate(resolve));
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isOver = true;
  await new Promise((resolve) => setImmediate(resolve));
  return longestMs;
}
