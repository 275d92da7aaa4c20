import type { AnswerSchema } from "../../../structured/structured-output.ts";
import { isWithin, type SchemaSubset } from "../wire/answer-shape.ts";

/** Builds the request field for an answer with a schema in OpenAI's protocol. */
export type ResponseFormat = (shape: AnswerSchema) => Record<string, unknown> | undefined;

/** Schemas that `strict` supports (platform.openai.com, "Structured Outputs", "Supported schemas"). */
const strictSubset: SchemaSubset = {
  keywords: new Set([
    "type",
    "title",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "enum",
    "const",
    "anyOf",
    "$ref",
    "$defs",
    "definitions",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
  ]),
  formats: new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
  requiresAll: true,
};

/** OpenAI's own format: the answer is an object; `strict` if the schema is supported, otherwise the schema is only a strong hint. */
export const jsonSchemaFormat: ResponseFormat = ({ name, schema }) =>
  schema.type === "object" && !("anyOf" in schema)
    ? formatOf(name, schema, isWithin(schema, strictSubset))
    : undefined;

/** The same, never strict, for vendors where only some models support it. */
export const looseJsonSchemaFormat: ResponseFormat = ({ name, schema }) =>
  schema.type === "object" ? formatOf(name, schema, false) : undefined;

/** Text-generation-inference uses its own grammar format (`GrammarType` in its OpenAPI document). */
export const grammarFormat: ResponseFormat = ({ schema }) => ({
  response_format: { type: "json", value: schema },
});

function formatOf(name: string, schema: AnswerSchema["schema"], strict: boolean): Record<string, unknown> {
  return { response_format: { type: "json_schema", json_schema: { name, schema, strict } } };
}
