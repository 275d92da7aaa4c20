/** A field of an unknown value. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** A text field; empty if it is not a text. */
export function textField(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === "string" ? text : "";
}

/** A list field; undefined if it is not a list. */
export function listField(value: unknown, name: string): readonly unknown[] | undefined {
  const list = field(value, name);
  return Array.isArray(list) ? list : undefined;
}
