import { isRecord } from "../wire/json.ts";
import { wordsOf } from "./words.ts";

/** One property of a tool's parameters. */
export interface ToolProperty {
  name: string;
  /** The name's words, lower-cased, with single spaces. */
  words: string;
  schema: Record<string, unknown>;
  /** The schema's type; null beside another type is passed over, undefined when the schema gives none. */
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
