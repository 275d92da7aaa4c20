import { type SchemaOptions, type Static, type TSchema, Type } from "@sinclair/typebox";
import { SessionId } from "./run.ts";

/** Text, or parts: text anywhere, and images in users' messages as `data:` URLs. Audio and files are refused by name. */
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
});
export type ChatMessage = Static<typeof ChatMessage>;

/** A field that may be left out or null, which mean the same. */
const optional = <T extends TSchema>(schema: T, options?: SchemaOptions) =>
  Type.Optional(Type.Union([schema, Type.Null()], options));

/** A field that only this value leaves without effect; any other is refused rather than ignored. */
const only = <T extends TSchema>(value: T, fault: string) => optional(value, { fault });

/** The form of the answer. `json_schema` wants JSON Schema 2020-12; `strict` changes nothing: every answer is checked. */
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
 * The part of OpenAI's Chat Completions request that is honoured. Fields we don't know are let through, as clients
 * send vendor fields; a known field whose value can't be honoured is refused by name.
 */
export const ChatCompletionRequest = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "`agent/<name>` runs that agent; `<provider>/<model>` goes to that provider through the router.",
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
        { additionalProperties: Type.String(), description: "`session_id` wins over `user`." },
      ),
    ),
  },
  { additionalProperties: true },
);
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>;

/** One thing that `model` may name; `created` is in seconds since 1970. */
export const ListedModel = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  created: Type.Integer(),
  owned_by: Type.String(),
});
export type ListedModel = Static<typeof ListedModel>;

export const ModelList = Type.Object({ object: Type.Literal("list"), data: Type.Array(ListedModel) });
export type ModelList = Static<typeof ModelList>;

/** The part of OpenAI's embeddings request that is honoured: lists of token numbers are refused by name. */
export const EmbeddingsRequest = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "`local_hash`, or `<embedder>/<model>` such as `openai/text-embedding-3-small`.",
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

/** Vectors in the order of the texts; base64 of little-endian 32-bit floats where that was asked for. */
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
