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

/** The value of a JSON text; undefined when it is none. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The text that a value is; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
