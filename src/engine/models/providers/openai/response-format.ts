import type { AnswerSchema } from "../../model.ts";
import { isWithin, type SchemaSubset } from "../wire/answer-shape.ts";

/** How a server of OpenAI's protocol is asked for an answer of a shape. */
export type ResponseFormat = (shape: AnswerSchema) => Record<string, unknown> | undefined;

/** What `strict` may be asked for (platform.openai.com, "Structured Outputs", "Supported schemas"). */
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

/** OpenAI's own form: the answer is an object; `strict` where the schema keeps to what that takes, a strong hint elsewhere. */
export const jsonSchemaFormat: ResponseFormat = ({ name, schema }) =>
  schema.type === "object" && !("anyOf" in schema)
    ? formatOf(name, schema, isWithin(schema, strictSubset))
    : undefined;

/** The same, never strict, for vendors with whom only some models are. */
export const looseJsonSchemaFormat: ResponseFormat = ({ name, schema }) =>
  schema.type === "object" ? formatOf(name, schema, false) : undefined;

/** Text-generation-inference takes a grammar of its own form (`GrammarType` in its OpenAPI document). */
export const grammarFormat: ResponseFormat = ({ schema }) => ({
  response_format: { type: "json", value: schema },
});

function formatOf(name: string, schema: AnswerSchema["schema"], strict: boolean): Record<string, unknown> {
  return { response_format: { type: "json_schema", json_schema: { name, schema, strict } } };
}
