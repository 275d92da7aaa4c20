/** Deeper than any JSON body may be. */
const DEPTH_MAX = 64;

/**
 * A copy of `value` with JSON data only: own properties, no functions, no prototypes; dates become ISO text. Throws RangeError if it is
 * nested deeper than 64, which includes cycles.
 */
export function plainData(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "bigint") return String(value);
    return typeof value === "function" || typeof value === "symbol" ? undefined : value;
  }
  if (depth >= DEPTH_MAX) throw new RangeError(`its data nests deeper than ${DEPTH_MAX}`);
  if (Array.isArray(value)) return value.map((item) => plainData(item, depth + 1) ?? null);
  if (value instanceof Date) return value.toISOString();
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of value instanceof Map ? value : Object.entries(value)) {
    const plain = plainData(item, depth + 1);
    if (plain !== undefined) copy[String(key)] = plain;
  }
  return copy;
}
