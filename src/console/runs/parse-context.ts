import { isRecord } from "../parts/is-record.ts";
/** A run's context as typed: the object, nothing, or why it is not valid. */
export type ParsedContext =
  | { context?: Record<string, unknown> }
  | { fault: "syntax" | "object" | "reserved" };

export function parseContext(text: string): ParsedContext {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: "syntax" };
  }
  if (!isRecord(value)) return { fault: "object" };
  if (Object.keys(value).some((key) => key.startsWith("_"))) return { fault: "reserved" };
  return { context: value };
}
