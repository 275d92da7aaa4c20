import type { Path } from "./fault.ts";

/** Returns the value at a path, or undefined if the document has none. */
export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}
