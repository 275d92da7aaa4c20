import { KindGuard, type TObject, type TSchema } from "@sinclair/typebox";
import type { ManifestShape } from "./manifest-kind.ts";
import { aliasesOf, requiredKeys } from "./schema-vocabulary.ts";

export type JsonSchema = Record<string, unknown>;

/**
 * Returns the JSON Schema (2020-12) for the files that users write: keys with a default may be omitted, and aliases are listed next to
 * their key. It accepts nothing that reading refuses by shape, except for the rules between parts and a key given in two spellings.
 */
export function jsonSchemaOf(kind: ManifestShape): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:argosy:schema:${kind.id}`,
    ...publishedSchema(kind.schema),
  };
}

/** Keywords with the same meaning in our schemas and in the published one. */
const keywords = [
  "title",
  "description",
  "type",
  "const",
  "default",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "maxProperties",
];

/** Returns a schema with only the standard keywords of JSON Schema. */
export function publishedSchema(schema: TSchema): JsonSchema {
  const result: JsonSchema = {};
  for (const keyword of keywords) if (keyword in schema) result[keyword] = schema[keyword];
  if (KindGuard.IsUnion(schema)) {
    if (schema.anyOf.every((variant) => KindGuard.IsLiteral(variant))) {
      return { ...result, type: "string", enum: schema.anyOf.map((variant) => variant.const) };
    }
    return { ...result, anyOf: schema.anyOf.map(publishedSchema) };
  }
  if (KindGuard.IsNever(schema)) return { ...result, not: {} };
  if (KindGuard.IsArray(schema)) return { ...result, items: publishedSchema(schema.items) };
  if (KindGuard.IsRecord(schema)) return { ...result, ...publishedRecord(schema.patternProperties, schema) };
  if (KindGuard.IsObject(schema)) return { ...result, ...publishedObject(schema) };
  return result;
}

function publishedRecord(patterns: Record<string, TSchema>, schema: TSchema): JsonSchema {
  if (schema.additionalProperties !== false) return { additionalProperties: true };
  const patternProperties = Object.fromEntries(
    Object.entries(patterns).map(([pattern, values]) => [pattern, publishedSchema(values)]),
  );
  return { patternProperties, additionalProperties: false };
}

function publishedObject(schema: TObject): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [key, property] of Object.entries(schema.properties)) {
    properties[key] = publishedSchema(property);
    for (const alias of aliasesOf(property)) {
      properties[alias] = { ...publishedSchema(property), description: `Another spelling of \`${key}\`.` };
    }
  }
  const required = requiredKeys(schema);
  return {
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: schema.additionalProperties === true,
  };
}
