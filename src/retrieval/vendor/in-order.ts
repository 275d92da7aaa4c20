/**
 * Runs `work` on each item, at most `atOnce` in parallel, and returns the results in the items' order. The first failure aborts the others
 * and is thrown when none is running.
 */
export async function inOrder<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = [];
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  let failure: { thrown: unknown } | undefined;
  let next = 0;
  const worker = async () => {
    while (next < items.length && failure === undefined) {
      const at = next++;
      try {
        results[at] = await work(items[at] as Item, both);
      } catch (thrown) {
        failure ??= { thrown };
        stop.abort(thrown);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  signal.throwIfAborted();
  if (failure) throw failure.thrown;
  return results;
}
