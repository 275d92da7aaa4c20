/** More than the depth limit of JSON that Argosy reads. */
const depthMax = 1000;

/** Returns a copy of a JSON value with all strings masked, including keys. Numbers stay. */
export function maskValues(value: unknown, mask: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null || depth >= depthMax) return value;
  if (Array.isArray(value)) return value.map((item) => maskValues(item, mask, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [mask(name), maskValues(item, mask, depth + 1)]),
  );
}
