/**
 * Returns true if a JSON value has everything that `part` has: mappings may have more keys, and lists and other values must be equal. Item
 * by item, mappings in lists may have more keys too.
 */
export function matchesPart(part: unknown, value: unknown): boolean {
  if (typeof part !== "object" || part === null) return Object.is(part, value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(part) || Array.isArray(value)) {
    if (!Array.isArray(part) || !Array.isArray(value) || part.length !== value.length) return false;
    return part.every((item, index) => matchesPart(item, value[index]));
  }
  return Object.entries(part).every(
    ([key, item]) => Object.hasOwn(value, key) && matchesPart(item, (value as Record<string, unknown>)[key]),
  );
}
