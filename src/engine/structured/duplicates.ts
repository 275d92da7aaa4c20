import { canonicalJson } from "../../kit/json/canonical-json.ts";

/**
 * Returns true if two items of a list are equal as JSON. Linear in the list's size; `written` is called with each text that is compared for it.
 */
export function hasDuplicates(items: readonly unknown[], written: (text: string) => void): boolean {
  const seen = new Set<unknown>();
  for (const item of items) {
    let key = item;
    if (typeof item === "string") written(item);
    if (typeof item === "object" && item !== null) {
      const text = canonicalJson(item);
      written(text);
      // A text cannot equal it.
      key = `\u0000${text}`;
    }
    if (seen.has(key)) return true;
    seen.add(key);
  }
  return false;
}
