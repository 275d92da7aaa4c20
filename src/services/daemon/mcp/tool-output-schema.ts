import { subSchemas } from "../../../engine/structured/schema-keywords.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Where an agent's own schema stands in its tool's. */
const place = "#/properties/data/anyOf/0";

/** The schema of a tool's structured content, for an agent with this `output_schema`: `data`, or null and why. */
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

/** A copy whose references, which count from the root, find their way from where it stands now. */
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
