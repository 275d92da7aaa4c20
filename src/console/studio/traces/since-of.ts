const hourMs = 3_600_000;

const spans: ReadonlyMap<string, number> = new Map([
  ["1h", hourMs],
  ["24h", 24 * hourMs],
  ["7d", 7 * 24 * hourMs],
]);

/** The names of the spans of time that traces can be listed of. */
export const sinceNames: readonly string[] = [...spans.keys()];

/** When a span of time that ends now began, as ISO 8601; an instant stays itself, anything else is undefined. */
export function sinceOf(name: string, nowMs: number): string | undefined {
  const ms = spans.get(name);
  if (ms !== undefined) return new Date(nowMs - ms).toISOString();
  const atMs = Date.parse(name);
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}
