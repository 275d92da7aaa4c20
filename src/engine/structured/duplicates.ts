import { isMapping } from "./vet-keyword.ts";

/**
 * Returns true if two items of a list are equal as JSON. Linear in the list's size; `written` is called with each text serialized for it.
 */
export function hasDuplicates(items: readonly unknown[], written: (text: string) => void): boolean {
  const seen = new Set<unknown>();
  for (const item of items) {
    let key = item;
    if (typeof item === "object" && item !== null) {
      const text = canonical(item);
      written(text);
      key = `\u0000${text}`;
    }
    if (seen.has(key)) return true;
    seen.add(key);
  }
  return false;
}

/** JSON with sorted keys. The prefix NUL distinguishes it from a text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isMapping(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
