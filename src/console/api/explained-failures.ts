/** The errors that parts of a page show at this moment, so that the notice above the page repeats none of them. */
export interface ExplainedFailures {
  /** Records that an error is shown. Returns a function that ends this. */
  show(thrown: unknown): () => void;
  isShown(thrown: unknown): boolean;
  /** Adds a listener, for `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  /** Changes whenever an error is shown or hidden. */
  version(): number;
}

export function createExplainedFailures(): ExplainedFailures {
  const places = new Map<unknown, number>();
  const listeners = new Set<() => void>();
  let version = 0;

  function count(thrown: unknown, change: 1 | -1): void {
    const left = (places.get(thrown) ?? 0) + change;
    if (left === 0) places.delete(thrown);
    else places.set(thrown, left);
    version += 1;
    for (const listener of listeners) listener();
  }

  return {
    show(thrown) {
      count(thrown, 1);
      return () => count(thrown, -1);
    },
    isShown: (thrown) => places.has(thrown),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
  };
}
