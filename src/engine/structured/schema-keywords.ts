/** Required shape of a keyword's value. */
export type KeywordShape =
  | "schema"
  | "schemas"
  | "named schemas"
  | "count"
  | "number"
  | "positive number"
  | "flag"
  | "text"
  | "names"
  | "name lists"
  | "types"
  | "values"
  | "list"
  | "anything"
  | "pattern"
  | "format"
  | "reference"
  | "dialect";

/** Keywords without an effect on validation. */
export const annotations: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$defs",
  "definitions",
]);

/**
 * Keywords of JSON Schema 2020-12 that an answer's schema may use. Not supported: keywords that load or rename schemas (`$id` below the
 * root, anchors, dynamic references), and those that only describe encoded text.
 */
export const schemaKeywords: ReadonlyMap<string, KeywordShape> = new Map([
  ["$schema", "dialect"],
  ["$id", "text"],
  ["$comment", "text"],
  ["title", "text"],
  ["description", "text"],
  ["default", "anything"],
  ["examples", "list"],
  ["deprecated", "flag"],
  ["readOnly", "flag"],
  ["writeOnly", "flag"],
  ["$defs", "named schemas"],
  ["definitions", "named schemas"],
  ["$ref", "reference"],
  ["type", "types"],
  ["enum", "values"],
  ["const", "anything"],
  ["multipleOf", "positive number"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "number"],
  ["exclusiveMaximum", "number"],
  ["minLength", "count"],
  ["maxLength", "count"],
  ["pattern", "pattern"],
  ["format", "format"],
  ["items", "schema"],
  ["prefixItems", "schemas"],
  ["contains", "schema"],
  ["minContains", "count"],
  ["maxContains", "count"],
  ["minItems", "count"],
  ["maxItems", "count"],
  ["uniqueItems", "flag"],
  ["unevaluatedItems", "schema"],
  ["properties", "named schemas"],
  ["patternProperties", "named schemas"],
  ["additionalProperties", "schema"],
  ["unevaluatedProperties", "schema"],
  ["propertyNames", "schema"],
  ["required", "names"],
  ["dependentRequired", "name lists"],
  ["dependentSchemas", "named schemas"],
  ["minProperties", "count"],
  ["maxProperties", "count"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
]);

/** Keywords whose schemas apply to the same value as the schema that contains them. */
export const inPlaceKeywords: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

/** Common keywords of other dialects, and the replacement for each. */
export const foreignKeywords: Readonly<Record<string, string>> = {
  nullable: 'is not JSON Schema; write `type: [string, "null"]`',
  dependencies: "was replaced by dependentRequired and dependentSchemas",
  additionalItems: "was replaced by items, beside prefixItems",
  $anchor: "is not available; refer to `#/$defs/<name>`",
  $dynamicAnchor: "is not available; refer to `#/$defs/<name>`",
  $dynamicRef: "is not available; use $ref with `#/$defs/<name>`",
  $recursiveRef: 'is not available; use $ref with "#"',
};

/** A schema inside another, and its position relative to it: as path and as pointer. */
export interface SubSchema {
  keyword: string;
  /** Name or index, if the keyword has several schemas. */
  name?: string | number;
  path: string;
  pointer: string;
  schema: unknown;
}

/** Schemas directly inside a schema. */
export function subSchemas(schema: Readonly<Record<string, unknown>>): SubSchema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const shape = schemaKeywords.get(keyword);
    if (shape === "schema") return [{ keyword, path: `.${keyword}`, pointer: `/${keyword}`, schema: value }];
    if (shape === "schemas" && Array.isArray(value)) {
      return value.map((one: unknown, at) => ({
        keyword,
        name: at,
        path: `.${keyword}[${at}]`,
        pointer: `/${keyword}/${at}`,
        schema: one,
      }));
    }
    if (shape !== "named schemas" || typeof value !== "object" || value === null) return [];
    return Object.entries(value).map(([name, one]: [string, unknown]) => ({
      keyword,
      name,
      path: `.${keyword}.${name}`,
      pointer: `/${keyword}/${pointerSegment(name)}`,
      schema: one,
    }));
  });
}

/** A name escaped for a JSON Pointer (RFC 6901). */
function pointerSegment(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
