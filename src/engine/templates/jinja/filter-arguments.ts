/** Error of a filter about its value or arguments. Fails the template with this message and the filter's line. */
export class FilterFault extends Error {}

/** Error for a missing value in a strict template. The message is complete without the filter's name. */
export class MissingRead extends FilterFault {}

/** Maximum text that a single filter may create; the engine limits the whole template. */
export const FILTER_TEXT_MAX = 256 * 1024;

/** A filter as the engine calls it: the value, then its arguments; named ones come last in one Map. */
export type Filter = (value: unknown, ...given: unknown[]) => unknown;

/** The arguments of a call by name; an absent argument and none are undefined. */
export function namedArguments(given: readonly unknown[], ...names: string[]): Record<string, unknown> {
  const last = given.at(-1);
  const named = last instanceof Map ? last : undefined;
  const positional = named ? given.slice(0, -1) : given;
  if (positional.length > names.length) throw new FilterFault(`takes at most ${names.length} arguments`);
  const values: Record<string, unknown> = Object.create(null);
  for (const [index, value] of positional.entries()) values[names[index] ?? ""] = value;
  for (const [name, value] of named ?? []) {
    if (!names.includes(name)) throw new FilterFault(`has no argument named ${name}`);
    values[name] = value;
  }
  return values;
}

/** Returns `value` as a whole number, or `fallback` if it is absent. */
export function wholeNumber(value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  const number = typeof value === "boolean" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number))
    throw new FilterFault("needs a whole number here");
  return number;
}

/** Repeats `text`. Throws if the result exceeds the limit. */
export function repeated(text: string, times: number): string {
  if (text.length * times > FILTER_TEXT_MAX) throw new FilterFault("would make a text that is too long");
  return text.repeat(Math.max(0, times));
}

/** A value as a template prints it. */
export function shown(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value) || value instanceof Map) return pythonRepr(value, '"');
  return String(value);
}

/** A value in Python's repr format, on one line; `quote` encloses strings. */
export function pythonRepr(value: unknown, quote: "'" | '"' = "'"): string {
  if (typeof value === "string") {
    const mark = quote === "'" && value.includes("'") && !value.includes('"') ? '"' : quote;
    const escaped = value
      .replaceAll("\\", "\\\\")
      .replaceAll("\n", "\\n")
      .replaceAll("\t", "\\t")
      .replaceAll("\r", "\\r");
    return mark + escaped.replaceAll(mark, `\\${mark}`) + mark;
  }
  if (value === undefined || value === null) return quote === "'" ? "None" : "none";
  if (typeof value === "boolean" && quote === "'") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map((item) => pythonRepr(item, quote)).join(", ")}]`;
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => `${pythonRepr(key, quote)}: ${pythonRepr(item, quote)}`);
    return `{${entries.join(", ")}}`;
  }
  return String(value);
}
