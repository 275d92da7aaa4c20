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
      // The prefix NUL distinguishes it from a text.
      key = `\u0000${text}`;
    }
    if (seen.has(key)) return true;
    seen.add(key);
  }
  return false;
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (!isMapping(value)) return `[${(value as readonly unknown[]).map(canonical).join(",")}]`;
  let text = "";
  for (const key of Object.keys(value).sort()) text += `,${JSON.stringify(key)}:${canonical(value[key])}`;
  return `{${text.slice(1)}}`;
}
