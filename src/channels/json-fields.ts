/** Returns a field of a JSON object; undefined if it is missing or `value` is not an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Returns the field if it is a non-empty string. */
export function textOf(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === "string" && field !== "" ? field : undefined;
}

/** Returns the items of the field if it is an array, otherwise no items. */
export function itemsOf(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name);
  return Array.isArray(field) ? field : [];
}
