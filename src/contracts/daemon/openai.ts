import { type SchemaOptions, type Static, type TSchema, Type } from "@sinclair/typebox";
import { SessionId } from "./runs/run.ts";

/** Text, or parts: text anywhere, and images in users' messages as `data:` URLs. The error for audio and files names them. */
const Content = Type.Union([
  Type.String(),
  Type.Null(),
  Type.Array(
    Type.Object({
      type: Type.String(),
      text: Type.Optional(Type.String()),
      image_url: Type.Optional(Type.Object({ url: Type.String(), detail: Type.Optional(Type.String()) })),
    }),
  ),
]);

const ToolCall = Type.Object({
  id: Type.String(),
  type: Type.Optional(Type.Literal("function")),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
  extra_content: Type.Optional(
    Type.Unknown({ description: "Data that the provider needs back with this call, as it was answered." }),
  ),
});

export const ChatMessage = Type.Object({
  role: Type.Union([
    Type.Literal("system"),
    Type.Literal("developer"),
    Type.Literal("user"),
    Type.Literal("assistant"),
    Type.Literal("tool"),
  ]),
  content: Type.Optional(Content),
  name: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
  tool_call_id: Type.Optional(Type.String()),
  reasoning_content: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description:
        "Thoughts of the assistant's turn, as they were answered; models that need them back get them.",
    }),
  ),
  reasoning_details: Type.Optional(
    Type.Union([Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 1000 }), Type.Null()], {
      description: "The same in parts, with signatures, as they were answered.",
    }),
  ),
});
export type ChatMessage = Static<typeof ChatMessage>;

/** A field that may be absent or null, with the same meaning. */
const optional = <T extends TSchema>(schema: T, options?: SchemaOptions) =>
  Type.Optional(Type.Union([schema, Type.Null()], options));

/** A field with only one supported value. Other values are refused, not ignored. */
const only = <T extends TSchema>(value: T, fault: string) => optional(value, { fault });

/** Format of the answer. `json_schema` requires JSON Schema 2020-12. `strict` has no effect, because every answer is checked. */
const ResponseFormat = Type.Union([
  Type.Object({ type: Type.Literal("text") }),
  Type.Object({ type: Type.Literal("json_object") }),
  Type.Object({
    type: Type.Literal("json_schema"),
    json_schema: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 64 }),
      description: Type.Optional(Type.String()),
      schema: Type.Record(Type.String(), Type.Unknown()),
      strict: optional(Type.Boolean()),
    }),
  }),
]);

/**
 * Supported part of OpenAI's Chat Completions request. Unknown fields are accepted, because clients send vendor fields. For a known field
 * with an unsupported value, the error names the field.
 */
export const ChatCompletionRequest = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "Model to call: `agent/<name>` runs that agent; `<provider>/<model>` calls that provider through the router.",
    }),
    messages: Type.Array(ChatMessage, { minItems: 1 }),
    stream: optional(Type.Boolean()),
    stream_options: optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) })),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    max_tokens: optional(Type.Integer({ minimum: 1 })),
    max_completion_tokens: optional(Type.Integer({ minimum: 1 })),
    frequency_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    presence_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    stop: optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    seed: optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    reasoning_effort: optional(
      Type.Union([
        Type.Literal("none"),
        Type.Literal("minimal"),
        Type.Literal("low"),
        Type.Literal("medium"),
        Type.Literal("high"),
        Type.Literal("xhigh"),
      ]),
      { fault: "must be none, minimal, low, medium, high or xhigh" },
    ),
    top_k: optional(Type.Integer({ minimum: 1 })),
    min_p: only(Type.Literal(0), "is not available; use top_p"),
    repetition_penalty: only(Type.Literal(1), "is not available; use frequency_penalty"),
    verbosity: only(Type.Literal("medium"), "must be medium"),
    service_tier: only(
      Type.Union([Type.Literal("auto"), Type.Literal("default")]),
      "must be auto or default",
    ),
    prediction: Type.Optional(Type.Null({ fault: "is not available" })),
    thinking: Type.Optional(Type.Null({ fault: "is not available; use reasoning_effort" })),
    enable_thinking: Type.Optional(Type.Null({ fault: "is not available; use reasoning_effort" })),
    chat_template_kwargs: only(
      Type.Object({}, { additionalProperties: false }),
      "is not available; use reasoning_effort",
    ),
    modalities: only(Type.Array(Type.Literal("text")), "must be text only"),
    audio: Type.Optional(Type.Null({ fault: "is not available" })),
    web_search_options: Type.Optional(Type.Null({ fault: "is not available; give the agent a tool" })),
    top_logprobs: only(Type.Literal(0), "must be 0"),
    tools: Type.Optional(
      Type.Array(
        Type.Object({
          type: Type.Literal("function"),
          function: Type.Object({
            name: Type.String(),
            description: Type.Optional(Type.String()),
            parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
          }),
        }),
      ),
    ),
    tool_choice: optional(
      Type.Union([
        Type.Literal("auto"),
        Type.Literal("none"),
        Type.Literal("required"),
        Type.Object({
          type: Type.Literal("function"),
          function: Type.Object({ name: Type.String() }),
        }),
      ]),
      { fault: "must be auto, none, required, or one function" },
    ),
    n: only(Type.Literal(1), "must be 1"),
    response_format: optional(ResponseFormat, {
      fault: "must be text, json_object, or json_schema with a schema",
    }),
    logprobs: only(Type.Literal(false), "must be false"),
    logit_bias: only(Type.Object({}, { additionalProperties: false }), "must be empty"),
    parallel_tool_calls: optional(Type.Boolean()),
    functions: only(Type.Array(Type.Unknown(), { maxItems: 0 }), "are given as tools"),
    user: Type.Optional(SessionId),
    metadata: optional(
      Type.Object(
        { session_id: Type.Optional(SessionId) },
        {
          additionalProperties: Type.String(),
          description: "Request metadata. `session_id` takes precedence over `user`.",
        },
      ),
    ),
  },
  { additionalProperties: true },
);
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>;

/** The parts of a whole completion that the client reads. */
export interface ChatCompletion {
  model: string;
  choices: { message: { content: string | null }; finish_reason: string }[];
  usage: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    /** Cost of a call of a model, in US dollars; absent if its price is unknown. */
    cost_usd?: number;
  };
}

/** A value for `model`; `created` is in seconds since 1970. */
export const ListedModel = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  created: Type.Integer(),
  owned_by: Type.String(),
});
export type ListedModel = Static<typeof ListedModel>;

export const ModelList = Type.Object({ object: Type.Literal("list"), data: Type.Array(ListedModel) });
export type ModelList = Static<typeof ModelList>;

/** Supported part of OpenAI's embeddings request. Lists of token numbers are refused. */
export const EmbeddingsRequest = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "Embedding model: `local_hash`, or `<embedder>/<model>` such as `openai/text-embedding-3-small`.",
    }),
    input: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: 2048 })], {
      fault: "must be a text, or a list of 1 to 2048 texts",
    }),
    encoding_format: optional(Type.Union([Type.Literal("float"), Type.Literal("base64")])),
    dimensions: optional(Type.Integer({ minimum: 1 })),
    user: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);
export type EmbeddingsRequest = Static<typeof EmbeddingsRequest>;

/** Vectors in the order of the texts, as base64 of little-endian 32-bit floats if requested. */
export const EmbeddingList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(
    Type.Object({
      object: Type.Literal("embedding"),
      index: Type.Integer(),
      embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
    }),
  ),
  model: Type.String(),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
});
export type EmbeddingList = Static<typeof EmbeddingList>;
