import { type SchemaOptions, type Static, type TSchema, Type } from "@sinclair/typebox";
import { SessionId } from "./run.ts";

/** Text, or the text parts of a multi-part content. Other parts (images, audio) are refused with a clear error. */
const Content = Type.Union([
  Type.String(),
  Type.Null(),
  Type.Array(Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) })),
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
    tool_choice: Type.Optional(
      Type.Union([Type.Literal("auto"), Type.Literal("none")], { fault: "must be auto or none" }),
    ),
    n: only(Type.Literal(1), "must be 1"),
    response_format: only(Type.Object({ type: Type.Literal("text") }), "must be text"),
    logprobs: only(Type.Literal(false), "must be false"),
    logit_bias: only(Type.Object({}, { additionalProperties: false }), "must be empty"),
    parallel_tool_calls: only(Type.Literal(true), "must be true"),
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

export const ModelList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      object: Type.Literal("model"),
      created: Type.Integer(),
      owned_by: Type.String(),
    }),
  ),
});
export type ModelList = Static<typeof ModelList>;
