/** Whether a parsed JSON value is an object, as opposed to an array or anything plain. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as JSON; empty when it can't be written, as one that is nested too deep. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
