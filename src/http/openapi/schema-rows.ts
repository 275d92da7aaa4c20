import type { DocumentSchema } from "./schema-collection.ts";

/** One line of a schema's table. */
export interface SchemaRow {
  depth: number;
  name: string;
  type: string;
  /** The named schema of the type, for a link. */
  ref?: string;
  required: boolean;
  description: string;
  /** Limits, or the location of a parameter. */
  note?: string;
}

/** Deeper objects are shown only by their type. */
const depthMax = 4;

/** Returns a schema as table rows: an object's fields, each followed by its own fields. Anything else is one row without a name. */
export function schemaRows(schema: DocumentSchema, depth = 0): SchemaRow[] {
  const properties = propertiesOf(schema);
  if (properties.length === 0) return Object.keys(schema).length === 0 ? [] : [row("", schema, false, depth)];
  const required = new Set(schema.required as string[] | undefined);
  return properties.flatMap(([name, property]) => [
    row(name, property, required.has(name), depth),
    ...(depth + 1 < depthMax ? nestedRows(property, depth + 1) : []),
  ]);
}

function nestedRows(schema: DocumentSchema, depth: number): SchemaRow[] {
  const inner = (schema.items as DocumentSchema | undefined) ?? schema;
  return propertiesOf(inner).length > 0 ? schemaRows(inner, depth) : [];
}

function row(name: string, schema: DocumentSchema, required: boolean, depth: number): SchemaRow {
  const ref = refName(schema) ?? refName((schema.items as DocumentSchema | undefined) ?? {});
  const note = limits(schema);
  return {
    depth,
    name,
    type: typeName(schema),
    required,
    description: (schema.description as string | undefined) ?? "",
    ...(ref !== undefined && { ref }),
    ...(note !== "" && { note }),
  };
}

function typeName(schema: DocumentSchema): string {
  const ref = refName(schema);
  if (ref !== undefined) return ref;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  const options = (schema.anyOf ?? schema.oneOf) as DocumentSchema[] | undefined;
  if (options) return [...new Set(options.map(typeName))].join(" | ");
  if (schema.type === "array") return `${typeName((schema.items as DocumentSchema | undefined) ?? {})}[]`;
  return typeof schema.type === "string" ? schema.type : "any";
}

const limitWords: Record<string, string> = {
  minimum: "≥",
  maximum: "≤",
  minLength: "length ≥",
  maxLength: "length ≤",
  minItems: "items ≥",
  maxItems: "items ≤",
  default: "default",
  format: "format",
};

function limits(schema: DocumentSchema): string {
  return Object.entries(limitWords)
    .filter(([key]) => schema[key] !== undefined)
    .map(
      ([key, word]) =>
        `${word} ${typeof schema[key] === "string" ? schema[key] : JSON.stringify(schema[key])}`,
    )
    .join(", ");
}

function refName(schema: DocumentSchema): string | undefined {
  return (schema.$ref as string | undefined)?.split("/").at(-1);
}

function propertiesOf(schema: DocumentSchema): [string, DocumentSchema][] {
  return Object.entries((schema.properties ?? {}) as Record<string, DocumentSchema>);
}
