import type { JsonSchema } from "./schema-collection.ts";

/** Returns a small value that fits the schema by its types, with only the required fields. */
export function exampleOf(schema: JsonSchema, named: Record<string, JsonSchema>, depth = 0): unknown {
  const given = [...((schema.examples as unknown[] | undefined) ?? []), schema.default, schema.const];
  const first = given.find((value) => value !== undefined);
  if (first !== undefined) return first;
  if (depth > 6) return null;
  const inner = (one: JsonSchema) => exampleOf(one, named, depth + 1);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (typeof schema.$ref === "string") return inner(named[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  const [option] = (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[];
  if (option) return inner(option);
  switch (schema.type) {
    case "object":
      return objectExample(schema, inner);
    case "array":
      return [inner((schema.items as JsonSchema | undefined) ?? {})];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "string":
      return "text";
    default:
      return null;
  }
}

function objectExample(schema: JsonSchema, inner: (one: JsonSchema) => unknown): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema.required as string[] | undefined) ?? [];
  return Object.fromEntries(required.map((name) => [name, inner(properties[name] ?? {})]));
}
