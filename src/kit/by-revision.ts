/** Returns a function that makes a value and keeps it until `revision` returns another one. */
export function byRevision<T>(revision: () => unknown, make: () => T): () => T {
  let made: { revision: unknown; value: T } | undefined;
  return () => {
    const now = revision();
    if (made === undefined || made.revision !== now) made = { revision: now, value: make() };
    return made.value;
  };
}
