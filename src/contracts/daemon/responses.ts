import { type SchemaOptions, type Static, type TSchema, Type } from "@sinclair/typebox";
import { ChatCompletionRequest } from "./openai.ts";
import { SessionId } from "./runs/run.ts";

/** A field that may be absent or null, with the same meaning. */
const optional = <T extends TSchema>(schema: T, options?: SchemaOptions) =>
  Type.Optional(Type.Union([schema, Type.Null()], options));

/** A field of which other values are refused, not ignored. */
const only = <T extends TSchema>(value: T, fault: string) => optional(value, { fault });

const refused = (fault: string) => Type.Optional(Type.Null({ fault }));

const { temperature, top_p, reasoning_effort, parallel_tool_calls } = ChatCompletionRequest.properties;

export const ResponsePart = Type.Object(
  {
    type: Type.String(),
    text: optional(Type.String()),
    refusal: optional(Type.String()),
    image_url: optional(Type.String()),
    file_data: optional(Type.String()),
    filename: optional(Type.String({ maxLength: 255 })),
  },
  { additionalProperties: true },
);
export type ResponsePart = Static<typeof ResponsePart>;

/** An item of an input: a message if it has no `type`. The error for an unsupported type names it. */
export const ResponseItem = Type.Object(
  {
    type: optional(Type.String()),
    id: optional(Type.String({ maxLength: 255 })),
    role: Type.Optional(
      Type.Union([
        Type.Literal("user"),
        Type.Literal("assistant"),
        Type.Literal("system"),
        Type.Literal("developer"),
      ]),
    ),
    content: optional(Type.Union([Type.String(), Type.Array(ResponsePart)])),
    call_id: optional(Type.String({ maxLength: 255 })),
    name: optional(Type.String()),
    arguments: optional(Type.String()),
    output: optional(Type.Union([Type.String(), Type.Array(ResponsePart)])),
    summary: optional(Type.Array(ResponsePart)),
    encrypted_content: optional(Type.String()),
  },
  { additionalProperties: true },
);
export type ResponseItem = Static<typeof ResponseItem>;

const TextFormat = Type.Union([
  Type.Object({ type: Type.Literal("text") }),
  Type.Object({ type: Type.Literal("json_object") }),
  Type.Object({
    type: Type.Literal("json_schema"),
    name: Type.String({ minLength: 1, maxLength: 64 }),
    description: optional(Type.String()),
    schema: Type.Record(Type.String(), Type.Unknown()),
    strict: optional(Type.Boolean()),
  }),
]);

/**
 * Supported part of a request to OpenAI's Responses API. Unknown fields are accepted, because clients send vendor fields. For a known field
 * with an unsupported value, the error names the field.
 */
export const ResponseRequest = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "As in Chat Completions: `agent/<name>` or `<provider>/<model>`.",
    }),
    input: Type.Union([Type.String(), Type.Array(ResponseItem, { minItems: 1 })], {
      fault: "must be a text or a list of items",
    }),
    instructions: optional(Type.String()),
    previous_response_id: optional(Type.String({ minLength: 1, maxLength: 255 })),
    conversation: optional(Type.Union([SessionId, Type.Object({ id: SessionId })]), {
      description: "Session of the agent, which then keeps the conversation.",
    }),
    store: optional(Type.Boolean()),
    stream: optional(Type.Boolean()),
    background: optional(Type.Boolean()),
    temperature,
    top_p,
    max_output_tokens: optional(Type.Integer({ minimum: 1 })),
    reasoning: optional(
      Type.Object({
        effort: reasoning_effort,
        summary: optional(
          Type.Union([Type.Literal("auto"), Type.Literal("concise"), Type.Literal("detailed")]),
        ),
      }),
    ),
    text: optional(
      Type.Object({
        format: optional(TextFormat, { fault: "must be text, json_object, or json_schema with a schema" }),
        verbosity: only(Type.Literal("medium"), "must be medium"),
      }),
    ),
    tools: optional(
      Type.Array(
        Type.Object(
          {
            type: Type.String(),
            name: Type.Optional(Type.String()),
            description: optional(Type.String()),
            parameters: optional(Type.Record(Type.String(), Type.Unknown())),
            strict: optional(Type.Boolean()),
          },
          { additionalProperties: true },
        ),
      ),
    ),
    tool_choice: optional(
      Type.Union([
        Type.Literal("auto"),
        Type.Literal("none"),
        Type.Literal("required"),
        Type.Object({ type: Type.Literal("function"), name: Type.String() }),
      ]),
      { fault: "must be auto, none, required, or one function" },
    ),
    parallel_tool_calls,
    include: only(
      Type.Array(Type.Literal("reasoning.encrypted_content")),
      "can only have reasoning.encrypted_content",
    ),
    truncation: only(Type.Literal("disabled"), "must be disabled"),
    service_tier: only(
      Type.Union([Type.Literal("auto"), Type.Literal("default")]),
      "must be auto or default",
    ),
    top_logprobs: only(Type.Literal(0), "must be 0"),
    max_tool_calls: refused("is not available; agents have max_iterations"),
    prompt: refused("is not available; agents have prompts"),
    context_management: refused("is not available"),
    moderation: refused("is not available; agents have guardrails"),
    metadata: optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), { maxProperties: 16 }),
    ),
    user: optional(SessionId),
  },
  { additionalProperties: true },
);
export type ResponseRequest = Static<typeof ResponseRequest>;

export const ResponseStatus = Type.Union([
  Type.Literal("queued"),
  Type.Literal("in_progress"),
  Type.Literal("completed"),
  Type.Literal("incomplete"),
  Type.Literal("failed"),
  Type.Literal("cancelled"),
]);
export type ResponseStatus = Static<typeof ResponseStatus>;

/** An answer of the Responses API, with the fields that clients read. */
export const ResponseBody = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("response"),
    created_at: Type.Integer(),
    status: ResponseStatus,
    background: Type.Boolean(),
    error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
    incomplete_details: Type.Union([Type.Object({ reason: Type.String() }), Type.Null()]),
    model: Type.String(),
    output: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    usage: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  },
  { additionalProperties: true },
);
export type ResponseBody = Static<typeof ResponseBody> & Record<string, unknown>;

export const ResponseDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal("response"),
  deleted: Type.Literal(true),
});

export const ResponseInputItems = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
});
export type ResponseInputItems = Static<typeof ResponseInputItems>;
