/**
 * The results of `work` on each item, in the items' order, at most `atOnce` under way. The first failure aborts the others and is
 * thrown once none is left under way.
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
