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

/** Differences between servers that support Chat Completions. */
export interface Dialect {
  /** Field that limits the answer: OpenAI's newer models refuse `max_tokens`, most other servers support only that. */
  maxTokensField: "max_tokens" | "max_completion_tokens";
  /** True if usage of a stream must be requested (`stream_options`). Servers that always send it may refuse the field. */
  asksForUsage: boolean;
  /** True if the server obeys `tool_choice: "none"`. Otherwise tools are left out to forbid them. */
  obeysToolChoice: boolean;
  /** Converts the id of a tool call for servers that accept only some formats. Equal ids give equal results. */
  callId?: (id: string) => string;
  /** Request for an answer with a schema. */
  responseFormat: ResponseFormat;
  /** True if the server can enforce a schema on a streamed answer. */
  shapesStreams: boolean;
}

export const plainDialect: Dialect = {
  maxTokensField: "max_tokens",
  asksForUsage: true,
  obeysToolChoice: true,
  responseFormat: jsonSchemaFormat,
  shapesStreams: true,
};

/** OpenAI's own service, as opposed to the many servers that speak its protocol. */
export const openAiDialect: Dialect = { ...plainDialect, maxTokensField: "max_completion_tokens" };

/** Ollama ignores `tool_choice` (docs/openai.md in its repository lists the supported fields). */
export const ollamaDialect: Dialect = { ...plainDialect, obeysToolChoice: false };

/** Mistral refuses unknown fields, including `stream_options`, and call ids that are not nine letters or digits. */
export const mistralDialect: Dialect = { ...plainDialect, asksForUsage: false, callId: nineAlphanumerics };

/** Groq enforces no schema on streams, and only few of its models enforce one strictly (console.groq.com, "Structured Outputs"). */
export const groqDialect: Dialect = {
  ...plainDialect,
  responseFormat: looseJsonSchemaFormat,
  shapesStreams: false,
};

export const textGenerationDialect: Dialect = { ...plainDialect, responseFormat: grammarFormat };

function nineAlphanumerics(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return Bun.hash(id).toString(36).padStart(9, "0").slice(-9);
}
