import { isRecord } from "../../../../kit/json/is-record.ts";
import { wordsOf } from "./words.ts";

/** One property of a tool's parameters. */
export interface ToolProperty {
  name: string;
  /** The words of the name in lower case, separated by single spaces. */
  words: string;
  schema: Record<string, unknown>;
  /** The schema's type; of several types the first one other than null; undefined if the schema has none. */
  type: unknown;
  required: boolean;
}

/** The properties that a JSON Schema of type object declares, in order. */
export function propertiesOf(schema: Record<string, unknown>): ToolProperty[] {
  if (!isRecord(schema.properties)) return [];
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    if (!isRecord(property)) return [];
    const type: unknown = Array.isArray(property.type)
      ? property.type.find((one) => one !== "null")
      : property.type;
    return {
      name,
      words: wordsOf(name).join(" "),
      schema: property,
      type,
      required: required.includes(name),
    };
  });
}
