/** Types that the shorthand of an `output_schema` may name. */
export const outputTypes = ["string", "number", "integer", "boolean", "array", "object"] as const;

const typeNames: ReadonlySet<unknown> = new Set(outputTypes);

/** Tells whether an `output_schema` is the shorthand `{field: type}`. `{type: object}` alone is a JSON Schema. */
export function isOutputShorthand(declared: Record<string, unknown>): boolean {
  const entries = Object.entries(declared);
  const isNamed = entries.length > 0 && entries.every(([, value]) => typeNames.has(value));
  return isNamed && (entries.length > 1 || !("type" in declared));
}

/** Returns the JSON Schema that an `output_schema` means. In the shorthand, all fields are required. */
export function outputJsonSchema(declared: Record<string, unknown>): Record<string, unknown> {
  if (!isOutputShorthand(declared)) return declared;
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(declared).map(([field, type]) => [field, { type }])),
    required: Object.keys(declared),
    additionalProperties: false,
  };
}
