import type { ParametersStyle } from "../../../../manifest/files/providers-file.ts";
import type { AnswerSchema } from "../../../structured/structured-output.ts";
import type { ModelParameters } from "../../model.ts";
import { isWithin, type SchemaSubset } from "../wire/answer-shape.ts";
import { callIdsWithin } from "../wire/call-ids.ts";
import { grammarLimits, type SchemaLimits } from "../wire/tool-schemas.ts";

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

export type MaxTokensField = "max_tokens" | "max_completion_tokens";
export type SystemRole = "system" | "developer" | "user";

/** Fields of a request that can be left out. */
export type OptionalField =
  | Exclude<keyof ModelParameters, "max_tokens">
  | ThoughtField
  | "stream_options"
  | "tool_choice"
  | "include";

/** Fields of a model's own turn that bring its thoughts back. */
export type ThoughtField = (typeof thoughtFields)[number];
export const thoughtFields = [
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "extra_content",
] as const;

/** Differences between servers that support Chat Completions. */
export interface OpenaiDialect {
  /**
   * Field that limits the answer: OpenAI's newer models refuse `max_tokens`, most other servers support only that. Undefined if the server
   * has no such field.
   */
  maxTokensField: MaxTokensField | undefined;
  /** Role of instructions. */
  systemRole: SystemRole;
  /** Fields that the server refuses. */
  omitted: ReadonlySet<OptionalField>;
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
  /** What the schemas of tools may say. */
  schemaLimits?: SchemaLimits;
}

export const plainDialect: OpenaiDialect = {
  maxTokensField: "max_tokens",
  systemRole: "system",
  omitted: new Set(),
  asksForUsage: true,
  obeysToolChoice: true,
  responseFormat: jsonSchemaFormat,
  shapesStreams: true,
};

/** Hosted services, of which many are gateways to OpenAI: ids of at most 40 characters, but Kimi's models need their own back. */
export const hostedDialect: OpenaiDialect = {
  ...plainDialect,
  callId: callIdsWithin(/^(?:.{1,40}|functions\..+:[0-9]+)$/s, 24),
};

/** OpenAI's own service, as opposed to the many servers that speak its protocol. */
export const openAiDialect: OpenaiDialect = { ...hostedDialect, maxTokensField: "max_completion_tokens" };

/** Ollama ignores `tool_choice` (docs/openai.md in its repository lists the supported fields). */
export const ollamaDialect: OpenaiDialect = { ...plainDialect, obeysToolChoice: false };

/** Mistral refuses unknown fields, including `stream_options`, and call ids that are not nine letters or digits. */
export const mistralDialect: OpenaiDialect = {
  ...plainDialect,
  asksForUsage: false,
  callId: callIdsWithin(/^[a-zA-Z0-9]{9}$/, 9),
};

/** Groq enforces no schema on streams, and only few of its models enforce one strictly (console.groq.com, "Structured Outputs"). */
export const groqDialect: OpenaiDialect = {
  ...plainDialect,
  responseFormat: looseJsonSchemaFormat,
  shapesStreams: false,
};

/** llama.cpp makes a grammar of the tools' schemas. */
export const llamaDialect: OpenaiDialect = { ...plainDialect, schemaLimits: grammarLimits };

export const textGenerationDialect: OpenaiDialect = { ...plainDialect, responseFormat: grammarFormat };

/** Ways to send sampling parameters that an operator can choose for a server, in place of those that its address suggests. */
export const parameterStyles = {
  classic: { maxTokensField: "max_tokens", omitted: [] },
  modern: { maxTokensField: "max_completion_tokens", omitted: [] },
  reasoning: {
    maxTokensField: "max_completion_tokens",
    omitted: ["temperature", "top_p", "frequency_penalty", "presence_penalty", "stop"],
  },
} as const satisfies Record<
  ParametersStyle,
  { maxTokensField: MaxTokensField; omitted: readonly OptionalField[] }
>;

/** The dialect with the parameters of that style. */
export function inStyle(dialect: OpenaiDialect, style: ParametersStyle | undefined): OpenaiDialect {
  if (style === undefined) return dialect;
  const { maxTokensField, omitted } = parameterStyles[style];
  return { ...dialect, maxTokensField, omitted: new Set([...dialect.omitted, ...omitted]) };
}
