/**
 * Returns the first entry for each value of `kind`. One level runs a whole corpus; the levels above it show with one entry of each kind that
 * they use what was tested there.
 */
export function onePer<Entry>(entries: readonly Entry[], kind: (entry: Entry) => string): Entry[] {
  const first = new Map<string, Entry>();
  for (const entry of entries) if (!first.has(kind(entry))) first.set(kind(entry), entry);
  return [...first.values()];
}
