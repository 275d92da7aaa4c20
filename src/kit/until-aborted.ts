/**
 * The outcome of `work`, or a rejection with the signal's reason as soon as it aborts; what becomes of the work after that
 * concerns nobody. Work is not begun under a signal that has aborted already.
 */
export async function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
