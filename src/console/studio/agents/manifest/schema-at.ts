import type { Path } from "../../../../manifest/fault.ts";

/** What we read of a JSON Schema. */
export interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

/**
 * What a value at `path` has to be, in a document that has `value` now: of several possible shapes those that agree with
 * what stands there. Several are left while nothing tells them apart.
 */
export function schemasAt(schema: Schema, path: Path, value: unknown): Schema[] {
  const shapes = shapesOf(schema, value);
  const [key, ...rest] = path;
  if (key === undefined) return shapes;
  const inner = isRecord(value) || Array.isArray(value) ? (value as Record<string, unknown>)[key] : undefined;
  return shapes.flatMap((shape) => {
    const below = partOf(shape, key);
    return below === undefined ? [] : schemasAt(below, rest, inner);
  });
}

/** The one schema at `path`, the first where several are possible. */
export const schemaAt = (schema: Schema, path: Path, value: unknown): Schema | undefined =>
  schemasAt(schema, path, value)[0];

function partOf(shape: Schema, key: string | number): Schema | undefined {
  if (typeof key === "number") return shape.items;
  if (shape.properties && Object.hasOwn(shape.properties, key)) return shape.properties[key];
  const patterns = Object.entries(shape.patternProperties ?? {});
  return patterns.find(([pattern]) => new RegExp(pattern, "u").test(key))?.[1];
}

/** The variants that `value` may still become: a text that is said otherwise rules one out. */
function shapesOf(schema: Schema, value: unknown): Schema[] {
  const variants = schema.anyOf;
  if (variants === undefined) return [schema];
  const left = variants.filter((variant) => agrees(variant, value));
  return (left.length > 0 ? left : variants).flatMap((variant) => shapesOf(variant, value));
}

function agrees(variant: Schema, value: unknown): boolean {
  if (!isRecord(value)) return true;
  return Object.entries(variant.properties ?? {}).every(
    ([key, { const: only }]) => only === undefined || value[key] === undefined || value[key] === only,
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Other spellings of keys, each with the key they stand for. */
export function aliasesIn(schema: Schema): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, { description }] of Object.entries(schema.properties ?? {})) {
    const canonical = /^Another spelling of `(.+)`\.$/.exec(description ?? "")?.[1];
    if (canonical !== undefined) found.set(key, canonical);
  }
  return found;
}
