import { isRepresentable } from "../../../kit/json/json-number.ts";

/** Significant digits that any double keeps, plus the point. */
const plainLength = 16;

/** Parses JSON and returns numbers as text if a double would change them. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || String(value) === source) return value;
    return source.length <= plainLength && isRepresentable(source, value) ? value : source;
  });
}
