import { type Static, Type } from "@sinclair/typebox";

export const ContextPart = Type.Object({
  kind: Type.Union(
    [
      Type.Literal("system"),
      Type.Literal("tool"),
      Type.Literal("summary"),
      Type.Literal("turn"),
      Type.Literal("memories"),
      Type.Literal("episodes"),
      Type.Literal("passages"),
      Type.Literal("context"),
      Type.Literal("query"),
    ],
    {
      description:
        "Kind of part. `summary`: summary of older turns; `memories`, `episodes`, `passages`: recalled content; `context`: other text placed before the query.",
    },
  ),
  role: Type.Union([Type.Literal("system"), Type.Literal("user"), Type.Literal("assistant")]),
  name: Type.Optional(Type.String({ description: "Name of the tool; only for parts of kind `tool`." })),
  text: Type.String({ description: "Beginning of the text; for a tool, of its JSON definition." }),
  characters: Type.Integer({ minimum: 0, description: "Length of the whole text in characters." }),
  tokens: Type.Integer({ minimum: 0, description: "Estimated number of tokens in the whole text." }),
  at: Type.Optional(Type.String({ description: "For a turn: time it was stored, ISO 8601 UTC." })),
  within: Type.Optional(
    Type.Union([Type.Literal("system"), Type.Literal("context"), Type.Literal("stage")], {
      description:
        "Part whose template includes this text. Its tokens count only in that part. `stage`: only the stages of a pipeline include it.",
    }),
  ),
});
export type ContextPart = Static<typeof ContextPart>;

export const ContextView = Type.Object({
  agent: Type.String(),
  session_id: Type.String(),
  parts: Type.Array(ContextPart, { description: "Parts, in the order in which the model reads them." }),
  window_tokens: Type.Integer({
    description: "Smallest context window among the agent's models, in tokens. All parts must fit in it.",
  }),
  used_tokens: Type.Integer({ description: "Estimated number of tokens in all parts." }),
  used_share: Type.Number({
    description: "`used_tokens` divided by `window_tokens`. Above 1, the parts do not fit.",
  }),
  reserved: Type.Object(
    {
      answer_tokens: Type.Integer({
        description: "Tokens reserved for the answer: `max_tokens`, or a default if it is not set.",
      }),
      tool_result_tokens: Type.Integer({ description: "Tokens reserved for tool results." }),
    },
    { description: "Tokens that turns may not use." },
  ),
  turns: Type.Object({
    strategy: Type.String(),
    total: Type.Integer({ description: "Total number of messages in the session." }),
    kept: Type.Integer({ description: "Number of messages included in the model's prompt." }),
    left_out: Type.Integer({ description: "Number of messages not included in the model's prompt." }),
    left_out_by_strategy: Type.Integer({
      description: "Number of messages left out by the memory strategy; part of `left_out`.",
    }),
    left_out_by_window: Type.Integer({
      description: "Number of messages left out because the context window is full; part of `left_out`.",
    }),
  }),
  faults: Type.Array(Type.String(), {
    description: "Sources that could not be read. A run would continue without them.",
  }),
});
export type ContextView = Static<typeof ContextView>;
