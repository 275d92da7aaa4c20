import { KindGuard, type TObject, type TSchema } from "@sinclair/typebox";
import type { ManifestShape } from "./manifest-kind.ts";
import { aliasesOf, requiredKeys } from "./schema-vocabulary.ts";

export type JsonSchema = Record<string, unknown>;

/**
 * The JSON Schema (2020-12) of what a person may write: keys with a default may be left out, other spellings stand beside
 * their key. It accepts nothing that reading refuses by shape, except the rules between parts and a key given in two
 * spellings.
 */
export function jsonSchemaOf(kind: ManifestShape): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:argosy:schema:${kind.id}`,
    ...publishedSchema(kind.schema),
  };
}

/** The keywords that mean the same inside and outside. */
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

/** The keywords of a schema that mean the same to any reader of JSON Schema; nothing of ours is left. */
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
