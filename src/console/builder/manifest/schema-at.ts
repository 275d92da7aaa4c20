import type { Path } from "../../../manifest/fault.ts";
import { isRecord } from "../../parts/is-record.ts";

/** The supported keywords of a JSON Schema. */
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
 * Returns the schemas for a value at `path` of a document with the current `value`: of several variants, those that agree with the
 * document. Several remain if nothing distinguishes them.
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

/** Returns the schema at `path`, the first if several are possible. */
export const schemaAt = (schema: Schema, path: Path, value: unknown): Schema | undefined =>
  schemasAt(schema, path, value)[0];

function partOf(shape: Schema, key: string | number): Schema | undefined {
  if (typeof key === "number") return shape.items;
  if (shape.properties && Object.hasOwn(shape.properties, key)) return shape.properties[key];
  const patterns = Object.entries(shape.patternProperties ?? {});
  return patterns.find(([pattern]) => new RegExp(pattern, "u").test(key))?.[1];
}

/** Returns the variants that `value` may still become: a different literal rules one out. */
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

/** Returns the aliases of keys, mapped to their keys. */
export function aliasesIn(schema: Schema): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, { description }] of Object.entries(schema.properties ?? {})) {
    const canonical = /^Another spelling of `(.+)`\.$/.exec(description ?? "")?.[1];
    if (canonical !== undefined) found.set(key, canonical);
  }
  return found;
}
