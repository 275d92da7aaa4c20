const typeNames: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
]);

/**
 * Returns the JSON Schema that an `output_schema` means. In the shorthand, every value is the name of a type and all fields are required.
 * `{type: object}` alone is a JSON Schema.
 */
export function outputJsonSchema(declared: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(declared);
  const isShorthand = entries.length > 0 && entries.every(([, value]) => typeNames.has(value));
  if (!isShorthand || (entries.length === 1 && "type" in declared)) return declared;
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([field, type]) => [field, { type }])),
    required: Object.keys(declared),
    additionalProperties: false,
  };
}
