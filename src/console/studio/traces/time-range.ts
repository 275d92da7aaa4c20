const hourMs = 3_600_000;

const spans: ReadonlyMap<string, number> = new Map([
  ["1h", hourMs],
  ["24h", 24 * hourMs],
  ["7d", 7 * 24 * hourMs],
]);

/** Names of the periods for which traces can be listed. */
export const rangeNames: readonly string[] = [...spans.keys()];

/** Returns the start of a period that ends now, as ISO 8601. An instant stays unchanged; anything else is undefined. */
export function rangeStart(name: string, nowMs: number): string | undefined {
  const ms = spans.get(name);
  if (ms !== undefined) return new Date(nowMs - ms).toISOString();
  const atMs = Date.parse(name);
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}
