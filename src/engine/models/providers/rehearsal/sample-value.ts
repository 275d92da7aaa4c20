import { isRecord } from "../../../../kit/json/is-record.ts";

const depthMax = 12;

/**
 * The smallest plausible value for a JSON Schema: fixed values first, `text` for free text, at least one item in lists, and only required
 * properties. Equal schemas and texts give equal values.
 */
export function sampleValue(schema: unknown, text: string, root: unknown = schema, depth = 0): unknown {
  if (!isRecord(schema) || depth > depthMax) return null;
  const inner = (sub: unknown) => sampleValue(sub, text, root, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (typeof schema.$ref === "string") return inner(referred(schema.$ref, root));
  for (const choices of [schema.anyOf, schema.oneOf, schema.allOf])
    if (Array.isArray(choices)) return inner(choices[0]);
  switch (Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? typeByKeywords(schema))) {
    case "object":
      return sampleObject(schema, inner);
    case "array":
      return Array.from({ length: Math.max(1, countOf(schema.minItems)) }, () => inner(schema.items ?? {}));
    case "integer":
    case "number":
      return sampleNumber(schema);
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return sampleText(schema, text);
  }
}

function sampleObject(schema: Record<string, unknown>, inner: (sub: unknown) => unknown): object {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : Object.keys(properties);
  return Object.fromEntries(required.map((name) => [name, inner(properties[name] ?? {})]));
}

/** The whole number closest to zero within the bounds; if they contain none, the next one above the lower bound. */
function sampleNumber(schema: Record<string, unknown>): number {
  const least = boundOf(schema.minimum) ?? boundOf(schema.exclusiveMinimum, 1) ?? 0;
  const most = boundOf(schema.maximum) ?? boundOf(schema.exclusiveMaximum, -1) ?? Math.max(least, 0);
  return Math.max(Math.min(0, Math.floor(most)), Math.ceil(least));
}

/** Sample texts for formats that validators check. */
const formatted: ReadonlyMap<unknown, string> = new Map([
  ["date-time", "2026-01-01T00:00:00Z"],
  ["date", "2026-01-01"],
  ["time", "00:00:00Z"],
  ["duration", "P1D"],
  ["email", "someone@example.com"],
  ["uri", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
]);

function sampleText({ format, minLength, maxLength }: Record<string, unknown>, text: string): string {
  const fixed = formatted.get(format);
  if (fixed !== undefined) return fixed;
  const short = text.slice(0, typeof maxLength === "number" ? maxLength : 200);
  return short.padEnd(countOf(minLength), ".");
}

function typeByKeywords(schema: Record<string, unknown>): string {
  if (isRecord(schema.properties)) return "object";
  return schema.items === undefined ? "string" : "array";
}

function referred(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return {};
  let at: unknown = root;
  for (const segment of reference.slice(1).split("/").slice(1)) {
    at = isRecord(at) ? at[segment.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  }
  return at;
}

function countOf(value: unknown): number {
  return typeof value === "number" ? Math.min(value, 100) : 0;
}

function boundOf(value: unknown, beyond = 0): number | undefined {
  return typeof value === "number" ? value + beyond : undefined;
}
