import { subSchemas } from "../../../engine/structured/schema-keywords.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Location of an agent's schema within its tool's schema. */
const place = "#/properties/data/anyOf/0";

/** Schema of a tool's structured content for an agent with this `output_schema`: `data`, or null and the reason. */
export function toolOutputSchema(schema: Schema): object {
  const { $id, $schema, ...own } = moved(schema);
  return {
    type: "object",
    properties: {
      data: { anyOf: [own, { type: "null" }], description: "The object in the answer, or null." },
      data_error: { type: "string", description: "Why data is null." },
    },
    required: ["data"],
    additionalProperties: false,
  };
}

/** Copies a schema and adjusts its references, which start at the root, to the new location. */
function moved(schema: Schema): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...schema };
  if (typeof copy.$ref === "string") copy.$ref = place + copy.$ref.slice(1);
  for (const { keyword, name, schema: sub } of subSchemas(schema)) {
    const movedSub = typeof sub === "object" && sub !== null ? moved(sub as Schema) : sub;
    if (name === undefined) {
      copy[keyword] = movedSub;
      continue;
    }
    const held = copy[keyword] === schema[keyword] ? shallowCopy(schema[keyword]) : copy[keyword];
    copy[keyword] = held;
    (held as Record<string | number, unknown>)[name] = movedSub;
  }
  return copy;
}

function shallowCopy(value: unknown): object {
  return Array.isArray(value) ? [...value] : { ...(value as object) };
}
