/** Deeper than anything that was read from JSON within its limits. */
const depthMax = 1000;

/** A copy of a JSON value with each of its texts masked, keys too; numbers stay. */
export function maskValues(value: unknown, mask: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null || depth >= depthMax) return value;
  if (Array.isArray(value)) return value.map((item) => maskValues(item, mask, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [mask(name), maskValues(item, mask, depth + 1)]),
  );
}
