/** A field of something that may be anything. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** A field that is a text; otherwise the empty text. */
export function textField(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === "string" ? text : "";
}

/** A field that is a list; otherwise undefined. */
export function listField(value: unknown, name: string): readonly unknown[] | undefined {
  const list = field(value, name);
  return Array.isArray(list) ? list : undefined;
}
