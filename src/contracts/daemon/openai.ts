import { type Static, Type } from "@sinclair/typebox";
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

/**
 * The part of OpenAI's Chat Completions request that is honoured. Fields we don't know are let through, as clients
 * send vendor fields; a known field whose value can't be honoured is refused by name.
 */
export const ChatCompletionRequest = Type.Object({
  model: Type.String({
    minLength: 1,
    description:
      "`agent/<name>` runs that agent; `<provider>/<model>` goes to that provider through the router.",
  }),
  messages: Type.Array(ChatMessage, { minItems: 1 }),
  stream: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  stream_options: Type.Optional(
    Type.Union([Type.Object({ include_usage: Type.Optional(Type.Boolean()) }), Type.Null()]),
  ),
  temperature: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: 2 }), Type.Null()])),
  top_p: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()])),
  max_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  max_completion_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  frequency_penalty: Type.Optional(Type.Union([Type.Number({ minimum: -2, maximum: 2 }), Type.Null()])),
  presence_penalty: Type.Optional(Type.Union([Type.Number({ minimum: -2, maximum: 2 }), Type.Null()])),
  stop: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()])),
  n: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
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
  tool_choice: Type.Optional(Type.Union([Type.String(), Type.Object({ type: Type.String() })])),
  user: Type.Optional(Type.String({ description: "Session id of an agent's conversation." })),
  metadata: Type.Optional(
    Type.Union([
      Type.Record(Type.String(), Type.String(), { description: "`session_id` wins over `user`." }),
      Type.Null(),
    ]),
  ),
});
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
