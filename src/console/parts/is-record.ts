/** Returns true if a parsed JSON or YAML value is an object, not an array or a primitive. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
