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
        "`summary`: of older turns; `memories`, `episodes`, `passages`: what was recalled; `context`: the rest of what is said in front of the query.",
    },
  ),
  role: Type.Union([Type.Literal("system"), Type.Literal("user"), Type.Literal("assistant")]),
  name: Type.Optional(Type.String({ description: "Of a tool." })),
  text: Type.String({ description: "Its beginning; of a tool its JSON." }),
  characters: Type.Integer({ minimum: 0, description: "Of the whole text." }),
  tokens: Type.Integer({ minimum: 0, description: "An estimate, of the whole text." }),
  at: Type.Optional(Type.String({ description: "Of a turn: when it was kept, ISO 8601 UTC." })),
  within: Type.Optional(
    Type.Union([Type.Literal("system"), Type.Literal("context"), Type.Literal("stage")], {
      description:
        "A template shows it there: it is counted with that part, and not once more; `stage`: only the stages of a pipeline show it.",
    }),
  ),
});
export type ContextPart = Static<typeof ContextPart>;

export const ContextView = Type.Object({
  agent: Type.String(),
  session_id: Type.String(),
  parts: Type.Array(ContextPart, { description: "In the order in which a model reads them." }),
  window_tokens: Type.Integer({
    description: "The smallest window of the agent's models: what everything has to fit.",
  }),
  used_tokens: Type.Integer({ description: "An estimate, of all parts." }),
  used_share: Type.Number({ description: "`used_tokens` of `window_tokens`; more than 1: too much." }),
  reserved: Type.Object(
    {
      answer_tokens: Type.Integer({ description: "`max_tokens`, or what is kept free without it." }),
      tool_result_tokens: Type.Integer({ description: "For what tools answer." }),
    },
    { description: "What turns make room for." },
  ),
  turns: Type.Object({
    strategy: Type.String(),
    total: Type.Integer({ description: "Messages that the session came to." }),
    kept: Type.Integer({ description: "Those that the model is shown." }),
    left_out: Type.Integer({ description: "Those that the model is not shown." }),
    left_out_by_strategy: Type.Integer({ description: "Of these: left out by the memory strategy." }),
    left_out_by_window: Type.Integer({ description: "Of these: left out because the window has no room." }),
  }),
  faults: Type.Array(Type.String(), {
    description: "What could not be looked into: a run would go on without it.",
  }),
});
export type ContextView = Static<typeof ContextView>;
